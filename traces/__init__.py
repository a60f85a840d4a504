"""What a run found, in the forms that people and programs read.

* `traces.diff`: what changed between two frozen values, as data;
* `traces.text`: a trace as text, showing only what changed from one state to the next;
* `traces.data`: a trace or a whole result as data that `json` can write;
* `traces.report`: the whole text that the command line prints for a result.

Not here yet: diagrams, HTML pages, minimised traces, and traces as pytest cases.
"""
