"""Klotski, also known as the red donkey: slide ten blocks until the big one reaches the exit.

A step moves one block by one cell. The invariant claims that the red block never gets to the middle
of the bottom row; the shortest counterexample is the shortest solution, 116 steps: 117 states.

The board is one slot for each cell, and blocks have no names, so pieces of one shape are
interchangeable for free: 25,955 boards can be reached. And a move reads only the few cells that it
concerns, so that one evaluation of `slide` serves thousands of boards.
"""

from typing import Self

from modelcheck import Per, Spec, action, const, goal, invariant, operator, per, require

Cell = tuple[int, int]  # row, column

# A capital letter is the top left corner of a block, small ones are the rest of it.
SIZES = {"R": (2, 2), "W": (1, 2), "T": (2, 1), "S": (1, 1)}  # red, wide, tall, small
DIRECTIONS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class Klotski(Spec):
    """The red block wants to reach the exit at the bottom."""

    start = const(("TRrT", "trrt", "TWwT", "tSSt", "S..S"))
    exit = const((3, 1))

    board: Per[Cell, str] = per("cells", lambda self, key: self.start[key[0]][key[1]])

    @property
    def cells(self) -> list[Cell]:
        return [(row, column) for row, line in enumerate(self.start) for column in range(len(line))]

    @action(cell="cells", direction=tuple(DIRECTIONS))
    def slide(self, s: Self, n: Self, cell: Cell, direction: str) -> None:
        shape = s.board[cell]
        require(shape in SIZES, "the corner of a block is here")
        before, after = covered(shape, cell), covered(shape, moved(cell, direction))
        ahead = [target for target in after if target not in before]
        require(all(target in self.cells for target in ahead), "the block stays on the board")
        require(all(s.board[target] == "." for target in ahead), "the way is free")
        for old in before:
            if old not in after:
                n.board[old] = "."
        for new, letter in after.items():
            n.board[new] = letter

    @invariant
    def red_is_not_at_the_exit(self, s: Self) -> bool:
        return s.board[self.exit] != "R"

    @goal
    def red_has_moved(self, s: Self) -> bool:
        return s.board[0, 1] != "R"


@operator
def moved(cell: Cell, direction: str) -> Cell:
    """The next cell in a direction."""
    down, right = DIRECTIONS[direction]
    return cell[0] + down, cell[1] + right


def covered(shape: str, corner: Cell) -> dict[Cell, str]:
    """The cells that a block covers, each with its letter."""
    (top, left), (height, width) = corner, SIZES[shape]
    cells = [(top + row, left + column) for row in range(height) for column in range(width)]
    return {cell: shape if cell == corner else shape.lower() for cell in cells}
