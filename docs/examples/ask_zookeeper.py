"""Questions to the state space of a ZooKeeper model, in Spark SQL.

    modelcheck check specs/zookeeper/episodes.py --set era=3.8 --set max_epoch=4 --keep-going \\
        --engine spark --export zookeeper-3.8
    python docs/examples/ask_zookeeper.py zookeeper-3.8
"""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession

__all__ = ["QUESTIONS", "views"]

SERVERS = (0, 1, 2)


def _disagree(i: int, j: int) -> str:
    """Two running servers that claim the same zxid, with different data: no later synchronisation will notice."""
    running = f"`role[{i}]` != \"'down'\" and `role[{j}]` != \"'down'\""
    return f"({running} and `last[{i}]` = `last[{j}]` and `tree[{i}]` != `tree[{j}]`)"


JUDGED = f"select *, {' or '.join(_disagree(i, j) for i in SERVERS for j in SERVERS if i < j)} as disagree from states"

QUESTIONS = {
    "In how many reachable states do two servers disagree at the same zxid, and how early?": """
        select count(*) as states, count_if(disagree) as disagree, min(if(disagree, level, null)) as first_at_level
        from judged""",
    "Which actions lead from agreement to disagreement?": """
        select substring_index(edges.action, '(', 1) as action, count(*) as steps
        from edges
        join judged as source on source.fingerprint = edges.source
        join judged as target on target.fingerprint = edges.target
        where not source.disagree and target.disagree
        group by 1 order by 2 desc""",
    "Which synchronisation has just taken place there?": f"""
        select substring_index(how, ' ', 1) as synchronisation, count(*) as times
        from judged lateral view explode(array({", ".join(f"`sync[{i}]`" for i in SERVERS)})) as how
        where disagree and how != 'None'
        group by 1 order by 2 desc""",
}


def views(spark: SparkSession, folder: str) -> None:
    """What the questions are asked of."""
    for table in ("states", "edges"):
        spark.read.parquet(f"{folder}/{table}").createOrReplaceTempView(table)
    spark.sql(JUDGED).createOrReplaceTempView("judged")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    views(spark, sys.argv[1])
    for question, query in QUESTIONS.items():
        print(question)
        spark.sql(query).show(truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
