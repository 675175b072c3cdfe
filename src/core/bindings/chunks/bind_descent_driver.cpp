// Python bindings: dmeans/chunks/descent_driver.hpp, the serial part of a descent over several machines. The
// arguments are documented in _core.pyi.
#include "bindings/chunks/chunk_arguments.hpp"
#include "dmeans/chunks/descent_driver.hpp"

namespace dynmeans {
namespace {

class Driver {
 public:
  Driver(const Vector& shift, double radius, const Vector& largest, const Vector& smallest,
         const Vector& weight_sizes, Row n_total, const Matrix<double>& centers, const Vector& gammas,
         const Vector& revival, double birth, std::uint64_t seed, std::uint64_t step, std::uint64_t restart)
      : prior_(centers, gammas, revival),
        driver_(prior_.view(), batch_scale<double>(shift, radius, largest, smallest, weight_sizes, n_total),
                birth, n_total, seed, step, restart) {
    require(centers.shape(1) == shift.size(), "centers must be as long as the shift");
  }

  long n_activations() const { return driver_.slots().n_activations(); }

  nb::tuple slots() const {
    const Clusters& slots = driver_.slots();
    const std::size_t n = slots.count(), d = slots.d();
    std::vector<std::int32_t> active(n);
    std::vector<double> centers(n * d);
    for (std::size_t k = 0; k < n; ++k) {
      active[k] = slots.is_active(int(k));
      if (active[k]) std::copy_n(slots.center(int(k)), d, &centers[k * d]);
    }
    return nb::make_tuple(to_numpy(std::move(active), {n}), to_numpy(std::move(centers), {n, d}));
  }

  nb::tuple validate(const Numbers& visits, const Matrix<double>& y, const Vector& weights,
                     const Slots& slots, const Vector& costs) {
    const SentRows sent = checked(visits, y, weights, slots);
    require(costs.size() == visits.size(), "a proposal must have a cost");
    std::vector<std::int32_t> validated;
    {
      nb::gil_scoped_release unlocked;
      validated = driver_.validate({sent.rows, sent.y, sent.weights, sent.slots, costs.data(), sent.n});
    }
    const std::size_t n = driver_.activated().size();
    std::vector<std::int32_t> activated(n);
    std::vector<std::int64_t> at(n);
    for (std::size_t w = 0; w < n; ++w) {
      activated[w] = driver_.activated().slot(Row(w));
      at[w] = driver_.activated().visit(Row(w));
    }
    return nb::make_tuple(to_numpy(std::move(validated), {visits.size()}),
                          to_numpy(std::move(activated), {n}), to_numpy(std::move(at), {n}));
  }

  void update(const Slots& touched, const Matrix<double>& sums, const Matrix<double>& weights,
              const Numbers& rows) {
    Clusters& slots = driver_.slots();
    const std::size_t n = touched.size(), size = slots.sums().n_numbers(),
                      weight_size = slots.sums().n_weight_numbers();
    require(sums.shape(0) == n && sums.shape(1) == size && weights.shape(0) == n &&
                weights.shape(1) == weight_size && rows.size() == n,
            "a slot must have a sum, a weight and a number of rows");
    for (std::size_t t = 0; t < n; ++t) {
      require(touched(t) >= 0 && touched(t) < slots.count(), "a sum must belong to a slot");
      slots.add_numbers(touched(t), sums.data() + t * size, weights.data() + t * weight_size, long(rows(t)));
    }
    slots.update_centers();
  }

  nb::tuple reassign(const Numbers& rows, const Matrix<double>& y, const Vector& weights,
                     const Slots& slots) {
    const SentRows sent = checked(rows, y, weights, slots);
    ReassignedRows moved;
    {
      nb::gil_scoped_release unlocked;
      moved = driver_.reassign(sent);
    }
    const std::size_t n = moved.rows.size();
    return nb::make_tuple(to_numpy(std::move(moved.rows), {n}), to_numpy(std::move(moved.slots), {n}));
  }

  nb::tuple finish(const Numbers& cost_of_rows) const {
    require(cost_of_rows.size() == ExactSum::kDigits, "a cost must have all digits");
    const std::vector<std::uint64_t> digits(cost_of_rows.data(), cost_of_rows.data() + cost_of_rows.size());
    FinishedClusters finished = driver_.finish();
    const std::size_t n = finished.slot_weights.size(), n_slots = finished.numbers.size();
    return nb::make_tuple(to_numpy(std::move(finished.numbers), {n_slots}),
                          to_numpy(std::move(finished.centers), {n, std::size_t(driver_.slots().d())}),
                          to_numpy(std::move(finished.slot_weights), {n}),
                          driver_.objective(ExactSum::of_digits(digits.data())));
  }

 private:
  SentRows checked(const Numbers& rows, const Matrix<double>& y, const Vector& weights,
                   const Slots& slots) const {
    const std::size_t n = rows.size();
    require(y.shape(0) == n && y.shape(1) == std::size_t(driver_.slots().d()) && weights.size() == n &&
                slots.size() == n,
            "a row must have coordinates, a weight and a slot");
    return {rows.data(), y.data(), weights.data(), slots.data(), nullptr, n};
  }

  OwnedPrior prior_;
  DescentDriver driver_;
};

}  // namespace

void bind_descent_driver(nb::module_& m) {
  nb::class_<Driver>(m, "DescentDriver", "Serial part of one restart of a descent over chunks.")
      .def(nb::init<const Vector&, double, const Vector&, const Vector&, const Vector&, Row,
                    const Matrix<double>&, const Vector&, const Vector&, double, std::uint64_t, std::uint64_t,
                    std::uint64_t>(),
           "shift"_a, "radius"_a, "largest"_a, "smallest"_a, "weight_sizes"_a, "n_total"_a, "centers"_a,
           "gammas"_a, "revival"_a, "birth"_a, "seed"_a, "step"_a, "restart"_a)
      .def("slots", &Driver::slots, "The slots: (active, centers).")
      .def("n_activations", &Driver::n_activations, "Number of births and revivals so far.")
      .def("validate", &Driver::validate, "visits"_a, "y"_a, "weights"_a, "slots"_a, "costs"_a,
           "Validate the proposals of an epoch: (slots, activated slots, visits that activated them).")
      .def("update", &Driver::update, "touched"_a, "sums"_a, "weights"_a, "rows"_a,
           "Add sums and update the centers.")
      .def("reassign", &Driver::reassign, "rows"_a, "y"_a, "weights"_a, "slots"_a,
           "Reassign the rows of the proposals one by one: (rows that moved, their slots).")
      .def("finish", &Driver::finish, "cost_of_rows"_a,
           "(numbers of the slots, centers, slot weights, cost).");
}

}  // namespace dynmeans
