// Distinct colors of an image and the number of pixels of each, by an open-addressing hash table.
//
// deduplicate.hpp merges rows of any kind. A color is one number of 24 bits that is compared at once, and
// images have few colors, so the table stays in the cache.
#pragma once

#include <cstdint>
#include <vector>

namespace dynmeans {

struct Colors {
  std::vector<std::uint8_t> rows;  // (m, 3) in the order of first appearance
  std::vector<double> counts;      // (m,)
  std::vector<std::int32_t> of;    // (n,) which of them each pixel has
};

// From a color to its number, in order of first appearance: open addressing, at most half full.
class ColorTable {
 public:
  // The number of a color; a new one gets the next.
  std::int32_t number(std::uint32_t color) {
    std::size_t at = find(color);
    if (entries_[at].number != kFree) return entries_[at].number;
    if (2 * static_cast<std::size_t>(size_) >= entries_.size()) {
      grow();
      at = find(color);
    }
    entries_[at] = {color, size_};
    return size_++;
  }

 private:
  struct ColorEntry {
    std::uint32_t color;
    std::int32_t number;
  };
  static constexpr std::int32_t kFree = -1;
  static constexpr int kFirstBits = 14;  // 128 kB of entries at first, which fit into the cache of a core

  std::size_t find(std::uint32_t color) const {
    std::size_t at = color * 2654435769u >> (32 - bits_);
    while (entries_[at].number != kFree && entries_[at].color != color) at = (at + 1) & (entries_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<ColorEntry> old(std::size_t(1) << ++bits_, ColorEntry{0, kFree});
    old.swap(entries_);
    for (const ColorEntry& entry : old)
      if (entry.number != kFree) entries_[find(entry.color)] = entry;
  }

  int bits_ = kFirstBits;
  std::vector<ColorEntry> entries_ =
      std::vector<ColorEntry>(std::size_t(1) << kFirstBits, ColorEntry{0, kFree});
  std::int32_t size_ = 0;
};

inline Colors distinct_colors(const std::uint8_t* pixels, std::int64_t n) {
  Colors colors;
  colors.of.resize(n);
  ColorTable table;
  std::uint32_t last = ~0u;
  std::int32_t k = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint8_t* pixel = pixels + 3 * i;
    const std::uint32_t color = pixel[0] | pixel[1] << 8 | pixel[2] << 16;
    if (color != last) k = table.number(last = color);
    if (k == std::int32_t(colors.counts.size())) {
      colors.rows.insert(colors.rows.end(), pixel, pixel + 3);
      colors.counts.push_back(0);
    }
    colors.of[i] = k;
    ++colors.counts[k];
  }
  return colors;
}

}  // namespace dynmeans
