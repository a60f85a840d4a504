"""Slots whose keys read alike (1 and "1") once shared fingerprints, and states vanished silently."""

from modelcheck import Spec, action, check, per, require, terminal


class ReadAlike(Spec):
    x = per((1, "1"), 0)

    @action(k=(1, "1"))
    def put(self, s, n, k):
        require(s.x[k] == 0, "k is empty")
        n.x[k] = 1

    @terminal
    def stopping_is_fine(self, s):
        return True


def test_slots_with_equal_names_have_fingerprints_of_their_own():
    for engine in ("oracle", "local"):
        result = check(ReadAlike(), engine=engine)
        assert (result.distinct, result.generated, result.depth) == (4, 5, 3)
