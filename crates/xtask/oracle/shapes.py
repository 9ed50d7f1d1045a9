"""Seeded polygons that are hard to judge: they touch, overlap, nest, share edges, spike, repeat.

A geometry is a list of parts, a part a list of closed rings, a ring a list of pairs of floats. Each generator is
a function from a random.Random to a geometry; `GENERATORS` names them. Most draw on a small grid of integers, where
what touches does so exactly, and `placed` moves the grid by something that keeps it exact, or does not.
"""

import math


# --- rings, open, on a grid of integers -------------------------------------------------------------------------------


def box(x0, y0, x1, y1):
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def any_box(rng, low, high):
    x = sorted(rng.sample(range(low, high + 1), 2))
    y = sorted(rng.sample(range(low, high + 1), 2))
    return box(x[0], y[0], x[1], y[1])


def diamond(center, reach):
    x, y = center
    return [(x + reach, y), (x, y + reach), (x - reach, y), (x, y - reach)]


def around(rng, center, reach, corners):
    """By angle round a centre: simple or nearly so."""
    angles = sorted(rng.random() * 2 * math.pi for _ in range(corners))
    far = lambda: reach * rng.uniform(0.3, 1)
    return [(center[0] + round(math.cos(a) * far()), center[1] + round(math.sin(a) * far())) for a in angles]


def any_ring(rng, low, high):
    choice = rng.random()
    at = lambda: (rng.randint(low, high), rng.randint(low, high))
    if choice < 0.5:
        return any_box(rng, low, high)
    if choice < 0.8:
        return around(rng, at(), max(1, (high - low) // rng.randint(2, 3)), rng.randint(4, 9))
    return [at() for _ in range(3 if choice < 0.9 else rng.randint(3, 8))]


def turned(rng, ring):
    """Closed, with another start and perhaps the other direction."""
    ring = list(ring)
    if rng.random() < 0.5:
        ring.reverse()
    turn = rng.randrange(len(ring))
    ring = ring[turn:] + ring[:turn]
    return ring + [ring[0]]


def between(rng, start, end):
    """A point of the edge: its middle, or another point of the grid on it."""
    steps = math.gcd(int(abs(end[0] - start[0])), int(abs(end[1] - start[1])))
    if steps > 1:
        step = rng.randrange(1, steps)
        return tuple(a + (b - a) // steps * step for a, b in zip(start, end))
    return (start[0] + end[0]) / 2, (start[1] + end[1]) / 2


def on_border(rng, ring):
    """A vertex, or a point within an edge."""
    at = rng.randrange(len(ring))
    return ring[at] if rng.random() < 0.5 else between(rng, ring[at - 1], ring[at])


def spiked(rng, ring, low, high):
    """An edge out and back: free, along the edge beside it, or on to another vertex of the ring."""
    ring, at, choice = list(ring), rng.randrange(len(ring)), rng.random()
    if choice < 0.4:
        tip = rng.randint(low, high), rng.randint(low, high)
    elif choice < 0.7:
        (x, y), (u, v) = ring[at - 1], ring[at]
        tip = (2 * u - x, 2 * v - y) if rng.random() < 0.5 else between(rng, (u, v), (x, y))
    else:
        tip = rng.choice(ring)
    ring[at + 1 : at + 1] = [tip, ring[at]]
    return ring


def repeated(rng, ring):
    ring, at = list(ring), rng.randrange(len(ring))
    ring[at:at] = [ring[at]] * rng.randint(1, 3)
    return ring


def harmed(rng, ring, low, high):
    """Now and then a repeat, a spike, or a vertex within an edge."""
    if rng.random() < 0.15:
        ring = repeated(rng, ring)
    if rng.random() < 0.06:
        ring = spiked(rng, ring, low, high)
    if rng.random() < 0.1:
        at = rng.randrange(len(ring))
        ring = list(ring)
        ring.insert(at, between(rng, ring[at - 1], ring[at]))
    return turned(rng, ring)


# --- generators -------------------------------------------------------------------------------------------------------


def mixed_part(rng, low, high):
    span = high - low
    rings = [box(low, low, high, high) if rng.random() < 0.6 else any_ring(rng, low, high)]
    for _ in range(rng.choice([0, 0, 1, 1, 2, 2, 3, 4, 6])):
        choice = rng.random()
        if choice < 0.08:
            rings.append(list(rng.choice(rings)))
        elif choice < 0.4:
            at = lambda: rng.randint(low + 1, max(low + 1, high - 1))
            rings.append(diamond((at(), at()), rng.randint(1, max(1, span // 4))))
        else:
            a = rng.randint(low, high - 2)
            rings.append(any_ring(rng, a, min(high, a + rng.randint(2, max(2, span // 2)))))
    return [harmed(rng, ring, low, high) for ring in rings]


def mixed(rng):
    """A little of everything."""
    high = rng.choice([3, 4, 6, 8, 12, 20])
    if rng.random() < 0.55:
        return [mixed_part(rng, 0, high)]
    parts = []
    for _ in range(rng.randint(1, 5)):
        if parts and rng.random() < 0.08:
            parts.append([list(ring) for ring in rng.choice(parts)])
        elif rng.random() < 0.5:
            low = rng.randint(0, high - 2)
            parts.append(mixed_part(rng, low, min(high, low + rng.randint(2, 6))))
        else:
            parts.append(mixed_part(rng, 0, high))
    return parts


def touching_holes(rng):
    """Holes that hang on the shell or on another hole, by a vertex or an edge, once or twice."""
    high = rng.choice([6, 8, 12, 16])
    shell = box(0, 0, high, high) if rng.random() < 0.7 else around(rng, (high // 2, high // 2), high // 2 + 1, rng.randint(5, 10))
    rings = [shell]
    for _ in range(rng.randint(1, 6)):
        start = on_border(rng, rng.choice(rings))
        inner = lambda: (rng.randint(1, high - 1), rng.randint(1, high - 1))
        ring = [start, inner(), inner()]
        if rng.random() < 0.25:
            ring.insert(rng.randint(1, 3), on_border(rng, rng.choice(rings)))
        elif rng.random() < 0.4:
            x, y = map(round, start)
            reach = rng.randint(1, 2)
            ring = diamond((x + rng.choice([-reach, 0, reach]), y + rng.choice([-reach, 0, reach])), reach)
        rings.append(ring)
    return [[turned(rng, ring) for ring in rings]]


def hole_chains(rng):
    """Diamonds on a row or a lattice, each touching its neighbours: a cycle of touches cuts the inside in two."""
    width, height = rng.randint(1, 5), rng.randint(1, 4)
    edge = rng.choice([0, 0, 1])
    shell = box(-edge, -edge, 2 * width + edge, 2 * height + edge)
    places = [(2 * x + 1, 2 * y + 1) for x in range(width) for y in range(height)]
    keep = rng.choice([0.4, 0.7, 0.9, 1])
    holes = [diamond(place, 1) for place in places if rng.random() < keep]
    rng.shuffle(holes)
    return [[turned(rng, ring) for ring in [shell, *holes]]]


def overlapping_parts(rng):
    """Parts that lie apart, touch, or have ground in common."""
    high = rng.choice([5, 8, 14])
    parts = []
    for _ in range(rng.randint(2, 6)):
        rings = [any_ring(rng, 0, high)]
        if rng.random() < 0.25:
            rings.append(any_ring(rng, 0, high))
        parts.append([turned(rng, ring) for ring in rings])
    return parts


def nested(rng):
    """Rings within rings: as parts in each other's holes, or as too many holes."""
    depth = rng.randint(2, 7)
    step = rng.choice([0, 1, 1, 1, 2])
    boxes = [box(k * step, k * step, 30 - k * step, 30 - k * step) for k in range(depth)]
    if rng.random() < 0.4:
        boxes = [diamond((15, 15), 15 - k) if k % 2 else ring for k, ring in enumerate(boxes)]
    if rng.random() < 0.3:
        rng.shuffle(boxes)
    if rng.random() < 0.3:
        return [[turned(rng, ring) for ring in boxes]]
    parts = [[turned(rng, ring) for ring in boxes[k : k + 2]] for k in range(0, depth, 2)]
    if rng.random() < 0.3:
        parts.append([turned(rng, any_box(rng, 0, 30))])
    rng.shuffle(parts)
    return parts


def shared_edges(rng):
    """A tiling cut at random: whole edges or stretches of them in common, as parts or as shell and holes."""
    xs = sorted(rng.sample(range(20), rng.randint(2, 4)))
    ys = sorted(rng.sample(range(20), rng.randint(2, 4)))
    tiles = [box(a, c, b, d) for a, b in zip(xs, xs[1:]) for c, d in zip(ys, ys[1:])]
    tiles = [tile for tile in tiles if rng.random() < 0.7] or tiles[:1]
    cut = []
    for tile in tiles:
        if rng.random() < 0.3:
            cut += [[tile[0], tile[1], tile[2]], [tile[0], tile[2], tile[3]]]
        else:
            cut.append(tile)
    if rng.random() < 0.4:
        shell = box(xs[0], ys[0], xs[-1], ys[-1]) if rng.random() < 0.4 else box(-1, -1, 20, 20)
        return [[turned(rng, ring) for ring in [shell, *cut]]]
    if rng.random() < 0.5:
        checkered = rng.randint(0, 1)
        cut = [tile for number, tile in enumerate(cut) if number % 2 == checkered] or cut[:1]
    return [[harmed(rng, tile, 0, 20)] for tile in cut]


def spikes(rng):
    """Edges out and back, of shells and of holes."""
    high = rng.choice([4, 8, 16])
    rings = [box(0, 0, high, high) if rng.random() < 0.5 else around(rng, (high // 2, high // 2), high // 2, rng.randint(4, 8))]
    if rng.random() < 0.5:
        rings.append(diamond((high // 2, high // 2), max(1, high // 4)))
    at = rng.randrange(len(rings))
    for _ in range(rng.randint(0, 3)):
        rings[at] = spiked(rng, rings[at], 0, high)
    return [[turned(rng, ring) for ring in rings]]


def duplicates(rng):
    """Vertices, rings and parts that are there twice, begun elsewhere or run backwards."""
    high = rng.choice([4, 8, 16])
    parts = [[box(0, 0, high, high)] if rng.random() < 0.5 else [any_ring(rng, 0, high)] for _ in range(rng.randint(1, 3))]
    for part in parts:
        for _ in range(rng.randint(0, 2)):
            part.append(diamond((rng.randint(1, high - 1), rng.randint(1, high - 1)), 1))
        if rng.random() < 0.4:
            part.append(list(rng.choice(part)))
    if rng.random() < 0.3:
        parts.append([list(ring) for ring in rng.choice(parts)])
    again = lambda ring: repeated(rng, ring) if rng.random() < 0.5 else ring
    return [[turned(rng, again(ring)) for ring in part] for part in parts]


def stars(rng):
    """Rings that all meet in one point: as parts, as holes, or as one ring that comes back."""
    turns = sorted(rng.sample(range(16), rng.randint(2, 8)))
    arms = [(8, 0), (8, 3), (8, 8), (3, 8), (0, 8), (-3, 8), (-8, 8), (-8, 3), (-8, 0), (-8, -3), (-8, -8), (-3, -8), (0, -8), (3, -8), (8, -8), (8, -3)]
    petals = []
    for turn, following in zip(turns, [*turns[1:], turns[0] + 16]):
        width = following - turn if rng.random() < 0.6 else rng.randint(1, 7)
        far = rng.choice([1, 1, 2, 3])
        first, last = arms[turn], arms[(turn + width) % 16]
        petals.append([(0, 0), (first[0] * far, first[1] * far), (last[0] * far, last[1] * far)])
    petals = [petal for petal in petals if rng.random() < 0.9] or petals[:1]
    choice = rng.random()
    if choice < 0.4:
        return [[turned(rng, petal)] for petal in petals]
    if choice < 0.75:
        shell = box(-30, -30, 30, 30) if rng.random() < 0.7 else box(0, -30, 30, 30)
        return [[turned(rng, ring) for ring in [shell, *petals]]]
    return [[turned(rng, [vertex for petal in petals for vertex in petal])]]


def large_integers(rng):
    """Coordinates of up to 30 bits, with vertices exactly on long edges."""
    reach = 2 ** rng.randint(8, 29)
    ring = around(rng, (0, 0), reach, rng.randint(5, 40))
    rings = [ring]
    for _ in range(rng.randint(0, 3)):
        start = on_border(rng, ring)
        rings.append([start, *around(rng, (0, 0), reach // 3, rng.randint(2, 5))])
    if rng.random() < 0.3:
        at = rng.randrange(len(ring))
        ring.insert(at, between(rng, ring[at - 1], ring[at]))
    return [[turned(rng, each) for each in rings]]


def rounded(rng):
    """Degrees rounded to a few digits, as GeoJSON has them: nearly on an edge, and nearly closed gaps."""
    digits = rng.randint(0, 7)
    center, reach = (rng.uniform(-170, 170), rng.uniform(-80, 80)), 10.0 ** -rng.uniform(-1, digits)
    corners = rng.randint(4, 24)
    angles = [2 * math.pi * (k + rng.random() * 0.9) / corners for k in range(corners)]
    at = lambda a, far: (round(center[0] + math.cos(a) * far, digits), round(center[1] + math.sin(a) * far, digits))
    shell = [at(a, reach * rng.uniform(0.7, 1)) for a in angles]
    parts = [[shell]]
    for _ in range(rng.randint(0, 3)):
        at_shell = rng.randrange(corners)
        (x, y), (u, v) = shell[at_shell - 1], shell[at_shell]
        share = rng.random()
        start = rng.choice([(x, y), (round(x + (u - x) * share, digits), round(y + (v - y) * share, digits))])
        inner = lambda: at(rng.random() * 7, reach * rng.uniform(0, 0.6))
        ring = [start, inner(), inner()]
        if rng.random() < 0.7:
            parts[0].append(ring)
        else:
            parts.append([[start, (u, v), at(angles[at_shell], reach * 1.4)]])
    return [[turned(rng, ring) for ring in part] for part in parts]


# --- where on the plane -----------------------------------------------------------------------------------------------


def placed(rng, parts):
    """The grid as it is, scaled by a power of two (exact), moved far (exact), or turned (rounded)."""
    move = rng.random()
    if move < 0.6:
        change = lambda x, y: (float(x), float(y))
    elif move < 0.75:
        factor = 2.0 ** rng.randint(-200, 200)
        change = lambda x, y: (x * factor, y * factor)
    elif move < 0.85:
        far = float(rng.randint(1, 2**40))
        change = lambda x, y: (x + far, y - far)
    else:
        turn, k = rng.random(), 10.0 ** rng.randint(-6, 6)
        c, s, u, v = math.cos(turn), math.sin(turn), rng.random(), rng.random()
        change = lambda x, y: (k * (c * x - s * y + u), k * (s * x + c * y + v))
    return [[[change(*point) for point in ring] for ring in part] for part in parts]


def scaled(exponents):
    """Everything at one scale of magnitude, by powers of two."""

    def generator(rng):
        factor = 2.0 ** rng.randint(*exponents)
        parts = rng.choice([mixed, touching_holes, overlapping_parts, shared_edges, stars])(rng)
        return [[[(x * factor, y * factor) for x, y in ring] for ring in part] for part in parts]

    return generator


def anywhere(generator):
    return lambda rng: placed(rng, generator(rng))


GENERATORS = {
    "mixed": anywhere(mixed),
    "touching holes": anywhere(touching_holes),
    "chains of holes": anywhere(hole_chains),
    "overlapping parts": anywhere(overlapping_parts),
    "nested": anywhere(nested),
    "shared edges": anywhere(shared_edges),
    "spikes": anywhere(spikes),
    "duplicates": anywhere(duplicates),
    "stars": anywhere(stars),
    "large integers": large_integers,
    "rounded degrees": rounded,
    "tiny": scaled((-330, -200)),
    "huge": scaled((200, 330)),
}
