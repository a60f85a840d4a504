"""What a run found, in the forms that people and programs read.

* `traces.diff`: what changed between two frozen values, as data;
* `traces.text`: a trace as text, showing only what changed from one state to the next;
* `traces.data`: a trace or a whole result as data that `json` can write;
* `traces.report`: the whole text that the command line prints for a result;
* `traces.files`, `traces.codec`, `traces.itf`: traces in files, out and in;
* `traces.replay`, `traces.compare`: a trace walked on a spec again, and where the two part;
* `traces.shrink`, `traces.calm`, `traces.slice`: shorter, calmer, and what matters of it;
* `traces.spacetime` (what it shows: `traces.scene`), `traces.statetrace`, `traces.stategraph`: pictures;
* `traces.render`, `traces.canvas`, `traces.lettering`: how pictures are drawn and written to files;
* `traces.page`: an HTML page to click through; `traces.gallery`: what the ZooKeeper study found;
* `traces.pytest_case`, `traces.markdown`: a trace as a test and as a report.
"""
