"""Small point clouds, and files of every format that holds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dynmeans._files.extras import require

POINTS = np.round(np.random.default_rng(0).uniform(-5.0, 5.0, (40, 3)), 3)
FORMATS = (
    "ascii.pcd",
    "binary.pcd",
    "compressed.pcd",
    "pcd",
    "ascii.ply",
    "little.ply",
    "big.ply",
    "las",
    "laz",
    "npy",
    "csv",
    "bin",
)


def write_cloud(folder: Path, format: str, points: np.ndarray = POINTS) -> Path:
    """A file with these points; the last part of the format is its suffix."""
    path = folder / f"cloud.{format}"
    kind = format.partition(".")[0]
    if format in ("pcd", "compressed.pcd"):
        module = require("pypcd4", "points")
        encoding = module.Encoding("binary" if kind == "pcd" else "binary_compressed")
        module.PointCloud.from_xyz_points(points.astype(np.float32)).save(path, encoding)
    elif format.endswith("pcd"):
        path.write_bytes(pcd_bytes(kind, points))
    elif format.endswith("ply"):
        path.write_bytes(ply_bytes(kind, points))
    elif format in ("las", "laz"):
        laspy = require("laspy", "points")
        header = laspy.LasHeader(point_format=0, version="1.2")
        header.scales = np.full(3, 0.001)
        cloud = laspy.LasData(header)
        cloud.x, cloud.y, cloud.z = points.T
        cloud.write(str(path))
    elif format == "npy":
        np.save(path, points)
    elif format == "csv":
        np.savetxt(path, points, delimiter=",", header="x,y,z", comments="")
    else:
        np.hstack([points, np.zeros((len(points), 1))]).astype("<f4").tofile(path)
    return path


def ply_bytes(kind: str, points: np.ndarray) -> bytes:
    """A PLY file with a color between the coordinates, and faces after the vertices."""
    format = "ascii" if kind == "ascii" else f"binary_{kind}_endian"
    header = f"ply\nformat {format} 1.0\ncomment made up\nelement vertex {len(points)}\n"
    header += "property float x\nproperty uchar red\nproperty float y\nproperty double z\n"
    header += "element face 0\nproperty list uchar int vertex_indices\nend_header\n"
    if kind == "ascii":
        return (header + "".join(f"{x} 7 {y} {z}\n" for x, y, z in points)).encode()
    order = "<" if kind == "little" else ">"
    fields = [("x", "f4"), ("red", "u1"), ("y", "f4"), ("z", "f8")]
    table = np.zeros(len(points), dtype=[(name, order + type) for name, type in fields])
    table["x"], table["y"], table["z"] = points.T
    return header.encode() + table.tobytes()


def pcd_bytes(data: str, points: np.ndarray) -> bytes:
    """A PCD file, ascii or binary, with a ring before the coordinates and some padding between them."""
    header = "# made up\nVERSION .7\nFIELDS ring x y _ z\nSIZE 2 8 4 1 4\nTYPE U F F U F\nCOUNT 1 1 1 3 1\n"
    header += (
        f"WIDTH {len(points) // 2}\nHEIGHT 2\nPOINTS {len(points)}\nVIEWPOINT 0 0 0 1 0 0 0\nDATA {data}\n"
    )
    if data == "ascii":
        return (header + "".join(f"9 {x} {y} 0 0 0 {z}\n" for x, y, z in points)).encode()
    fields = [("ring", "<u2"), ("x", "<f8"), ("y", "<f4"), ("_", "u1", 3), ("z", "<f4")]
    table = np.zeros(len(points), dtype=fields)
    table["x"], table["y"], table["z"] = points.T
    return header.encode() + table.tobytes()
