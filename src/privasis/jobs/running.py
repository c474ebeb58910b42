"""Where a job's stage runs: in this process, or on a cluster."""

from __future__ import annotations

from functools import partial

from privasis.runners.local import LocalRunner
from privasis.runners.ray import RayRunner
from privasis.stage import (
    Item,
    Options,
    Progress,
    Result,
    Settings,
    Sink,
    Source,
    Stage,
    open_context,
    open_host_context,
)


async def run_stage(
    stage: Stage[Item, Result, Options],
    source: Source[Item],
    sink: Sink[Result],
    settings: Settings[Options],
    concurrency: int,
    cluster: str | None,
    progress: Progress,
) -> None:
    """Run a stage over a source into a sink.

    Args:
        stage: What is done with each item.
        source: The items, in shards.
        sink: Where outcomes go.
        settings: All that a context is opened from, here or on another machine.
        concurrency: Items in work at once.
        cluster: Address of a Ray cluster; None: in this process.
        progress: Told each outcome.

    Raises:
        Stop: If the run ends early and can be resumed.
        ClusterError: If the cluster cannot serve the run.
    """
    if cluster is None:
        await LocalRunner(concurrency)(stage, source, sink, partial(open_context, settings), progress)
        return
    await RayRunner(concurrency, cluster)(stage, source, sink, partial(open_host_context, settings), progress)
