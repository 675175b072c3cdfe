"""`dynmeans points`: frames of a LiDAR or depth camera in, positions of people over time out."""

from __future__ import annotations

from pathlib import Path

from dynmeans.cli import exit_on_interrupt
from dynmeans.cli.light_imports import import_sklearn
from dynmeans.cli.options import ForceOption, LimitOption, NoReportOption, OutOption
from dynmeans.cli.points.options import (
    AlgorithmOption,
    BandwidthOption,
    BirthCostOption,
    ColumnsOption,
    EmptyOption,
    FewOption,
    FramesArgument,
    GroundOption,
    LifetimeOption,
    MinHitsOption,
    MinPointsOption,
    MotionOption,
    PointsAlgorithm,
    PointsMotion,
    RateOption,
    ReachOption,
    RestartsOption,
    SeedOption,
    TimeOption,
    VoxelOption,
)


def points(
    frames: FramesArgument,
    time: TimeOption = None,
    rate: RateOption = None,
    columns: ColumnsOption = None,
    empty: EmptyOption = None,
    ground: GroundOption = False,
    algorithm: AlgorithmOption = PointsAlgorithm.sdmeans,
    birth_cost: BirthCostOption = None,
    lifetime: LifetimeOption = None,
    reach: ReachOption = None,
    motion: MotionOption = PointsMotion.velocity,
    voxel: VoxelOption = None,
    bandwidth: BandwidthOption = None,
    few: FewOption = None,
    min_points: MinPointsOption = None,
    min_hits: MinHitsOption = 1,
    restarts: RestartsOption = None,
    seed: SeedOption = 0,
    out: OutOption = Path("dynmeans-points"),
    force: ForceOption = False,
    limit: LimitOption = None,
    no_report: NoReportOption = False,
) -> None:
    """Track people through frames of points, also through occlusions."""
    with exit_on_interrupt():
        import_sklearn()
        from dynmeans.cli.points.inputs import InputOptions
        from dynmeans.cli.points.run import run_points, tracker_parameters

    parameters = tracker_parameters(
        algorithm.value,
        birth_cost=birth_cost,
        lifetime=lifetime,
        reach=reach,
        voxel=voxel,
        bandwidth=bandwidth,
        few=few,
        min_points=min_points,
        restarts=restarts,
        motion=motion.value,
        seed=seed,
    )
    inputs = InputOptions(
        frames=frames,
        time=time,
        rate=rate,
        columns=columns,
        empty=empty or [],
        ground=ground,
        limit=limit or [],
    )
    run_points(inputs, parameters, min_hits, out, force=force, report=not no_report)
