"""`dynmeans cluster`: files in, labels, clusters, events and a report out."""

from __future__ import annotations

from pathlib import Path

from dynmeans.cli import exit_on_interrupt
from dynmeans.cli.choices import AlgorithmName, Metric, Missing
from dynmeans.cli.cluster.options import (
    AgingCostOption,
    AlgorithmOption,
    BirthCostOption,
    BudgetOption,
    ByOption,
    DriftOption,
    EmbeddingOption,
    EveryOption,
    FeatureScalesOption,
    FeaturesOption,
    FormatOption,
    InputsArgument,
    IntervalOption,
    JobsOption,
    KernelOption,
    LifetimeOption,
    MetricOption,
    MissingOption,
    MotionOption,
    ReachOption,
    RelativeOption,
    ReportKeysOption,
    ReportLargestOption,
    RestartsOption,
    SchedulerOption,
    SeedOption,
    StandardizeOption,
    StateOption,
    TextOption,
    TimeOption,
    WeightOption,
    WorkersOption,
)
from dynmeans.cli.light_imports import import_sklearn
from dynmeans.cli.options import (
    DuplicatesOption,
    ExclusiveOption,
    ForceOption,
    LimitOption,
    MergeOption,
    MinHitsOption,
    NoReportOption,
    OutOption,
    RefineOption,
)


def cluster(
    inputs: InputsArgument,
    time: TimeOption = None,
    every: EveryOption = None,
    features: FeaturesOption = None,
    embedding: EmbeddingOption = None,
    text: TextOption = None,
    weight: WeightOption = None,
    missing: MissingOption = Missing.error,
    standardize: StandardizeOption = False,
    birth_cost: BirthCostOption = "auto",
    lifetime: LifetimeOption = None,
    reach: ReachOption = None,
    aging_cost: AgingCostOption = None,
    drift: DriftOption = None,
    interval: IntervalOption = None,
    motion: MotionOption = None,
    metric: MetricOption = Metric.auto,
    feature_scales: FeatureScalesOption = None,
    refine: RefineOption = None,
    merge: MergeOption = None,
    exclusive: ExclusiveOption = None,
    duplicates: DuplicatesOption = False,
    min_hits: MinHitsOption = 1,
    algorithm: AlgorithmOption = AlgorithmName.dmeans,
    kernel: KernelOption = None,
    relative: RelativeOption = None,
    budget: BudgetOption = None,
    restarts: RestartsOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    out: OutOption = Path("dynmeans-run"),
    state: StateOption = None,
    format: FormatOption = None,
    limit: LimitOption = None,
    force: ForceOption = False,
    no_report: NoReportOption = False,
    by: ByOption = None,
    report_keys: ReportKeysOption = None,
    report_largest: ReportLargestOption = None,
    scheduler: SchedulerOption = None,
    workers: WorkersOption = None,
) -> None:
    """Cluster the rows of files, step by step in time."""
    with exit_on_interrupt():
        import_sklearn()
        from dynmeans.cli.cluster.dataset_run import Machines, run_dataset
        from dynmeans.cli.cluster.local_run import run_cluster
        from dynmeans.runs.parameters import (
            RunParameters,
            parse_birth_cost,
            parse_feature_scales,
            parse_features,
            parse_keys,
        )

    parameters = RunParameters(
        time=time,
        every=every,
        features=parse_features(features),
        weight=weight,
        missing=None if missing is Missing.error else missing.value,
        standardize=standardize,
        birth_cost=parse_birth_cost(birth_cost),
        lifetime=lifetime,
        reach=reach,
        aging_cost=aging_cost,
        drift=drift,
        interval=interval,
        motion=None if motion is None else motion.value,
        metric=metric.value,
        feature_scales=parse_feature_scales(feature_scales),
        refine=refine,
        merge=merge,
        exclusive=exclusive,
        duplicates=duplicates,
        min_hits=min_hits,
        algorithm=algorithm.value,
        kernel=kernel,
        relative=relative,
        budget=budget,
        restarts=restarts,
        seed=seed,
        format=None if format is None else format.value,
        embedding=embedding,
        text=text,
        by=by,
        report_keys=parse_keys(report_keys),
        report_largest=report_largest,
    )
    if scheduler is not None or workers is not None:
        machines = Machines(scheduler, workers)
        run_dataset(inputs, parameters, out, state, machines, force=force, report=not no_report)
    else:
        report, limits = not no_report, limit or ()
        run_cluster(inputs, parameters, out, state, jobs=jobs, force=force, report=report, limits=limits)
