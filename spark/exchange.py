"""Sending what tasks make to the partitions that own it, piece by piece.

PySpark's own ``partitionBy`` gathers up to a thousand pairs, or ten for each partition, before it lets go of any. Pairs
here are blocks of many states, and so many of them are more than a task may hold. Apart from that this is what
``partitionBy`` does, except that the result is marked as what it is, batches of pickles like those of every other
dataset. PySpark gives it a serializer of another class for the same bytes, and a union would then copy all its parts
through Python once more.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.core.rdd import RDD

__all__ = ["exchanged"]


def exchanged(pairs: RDD[Any], n_partitions: int) -> RDD[Any]:
    """The dataset of (owner, item) with every pair in the partition of its owner."""
    context: Any = pairs.context
    keyed: Any = pairs.mapPartitions(_one_by_one, preservesPartitioning=True)
    keyed._bypass_serializer = True
    # Datasets whose partitioners have the same number of partitions and the same id lie side by side in a union.
    partitioner = context._jvm.PythonPartitioner(n_partitions, id(exchanged))
    by_owner = context._jvm.PairwiseRDD(keyed._jrdd.rdd()).asJavaPairRDD().partitionBy(partitioner)
    return RDD(context._jvm.PythonRDD.valueOfPair(by_owner), context, context.serializer)


def _one_by_one(pairs: Iterable[tuple[int, Any]]) -> Iterator[bytes]:
    """Keys and values by turns, as Spark reads them: a value is the pickle of a batch, here of one pair."""
    for pair in pairs:
        yield struct.pack("!q", pair[0])
        yield pickle.dumps([pair], pickle.HIGHEST_PROTOCOL)
