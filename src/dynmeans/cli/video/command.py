"""`dynmeans video`: a video in, the same video in few colors out."""

from __future__ import annotations

from dynmeans.cli import exit_on_interrupt
from dynmeans.cli.light_imports import import_sklearn
from dynmeans.cli.video.options import (
    BirthCostOption,
    CodecOption,
    Colorspace,
    ColorspaceOption,
    ForceOption,
    JobsOption,
    LifetimeOption,
    MaxColorsOption,
    PaletteOption,
    PerFrameOption,
    PreviewOption,
    ReachOption,
    SeedOption,
    SourceArgument,
    TargetArgument,
)


def video(
    source: SourceArgument,
    target: TargetArgument,
    birth_cost: BirthCostOption = 800.0,
    lifetime: LifetimeOption = 15.0,
    reach: ReachOption = 1.1,
    colorspace: ColorspaceOption = Colorspace.rgb,
    max_colors: MaxColorsOption = None,
    per_frame: PerFrameOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    codec: CodecOption = None,
    palette: PaletteOption = None,
    preview: PreviewOption = None,
    force: ForceOption = False,
) -> None:
    """Repaint a video with few colors that change smoothly instead of flickering."""
    with exit_on_interrupt():
        import_sklearn()
        from dynmeans.apps.video import PaletteOptions, QuantizeOptions
        from dynmeans.cli.video.run import run_video

    method = None if per_frame is None else per_frame.value
    colors = PaletteOptions(
        birth_cost=birth_cost,
        lifetime=lifetime,
        reach=reach,
        colorspace=colorspace.value,
        max_colors=max_colors,
        per_frame=method,
        seed=seed,
        jobs=jobs,
    )
    run_video(
        QuantizeOptions(
            source=source,
            target=target,
            palette=colors,
            codec=codec,
            palette_file=palette,
            preview_file=preview,
        ),
        force=force,
    )
