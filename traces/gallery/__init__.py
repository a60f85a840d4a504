"""The gallery: the counterexamples of the ZooKeeper study as JSON, pictures and pages.

`make gallery` finds them again by search and writes them anew; a test holds that what is here is fresh.
"""
