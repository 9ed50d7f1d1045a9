"""Holds every number that ours reads to Python's float, to the bit.

    decimals.py BINARY --seed SEED --count COUNT

BINARY is the program `oracle`. The decimals are JSON numbers of many forms: the shortest and the longest texts of
random bits, the exact middle between two doubles and a digit beside it, subnormals, integers beyond 2^53, degrees as
GeoJSON has them, plain digits with exponents, zeros. What overflows is left out: the reader refuses it.
"""

import argparse
import array
import concurrent.futures
import decimal
import math
import random
import struct
import subprocess
import sys

BATCH = 100_000
TOLD_MAX = 10
EXACT = decimal.Context(prec=1100, Emax=9999, Emin=-9999)


def any_double(rng):
    """Of random bits: every exponent is as likely, subnormals included."""
    while True:
        number = struct.unpack("<d", rng.getrandbits(64).to_bytes(8, "little"))[0]
        if math.isfinite(number):
            return number


def degrees(rng):
    return f"{rng.uniform(-180, 180):.{rng.randint(0, 17)}f}"


def shortest(rng):
    return repr(any_double(rng))


def seventeen(rng):
    return f"{any_double(rng):.{rng.randint(14, 25)}e}"


def near_degrees(rng):
    """The shortest text of a double near the earth's, and its neighbours' digits."""
    return repr(rng.uniform(-180, 180)) + str(rng.randrange(1000))


def middle(rng):
    """Half-way between two doubles, exactly, or a little beside it."""
    low = abs(any_double(rng)) if rng.random() < 0.5 else rng.uniform(0, 180)
    high = math.nextafter(low, math.inf)
    if not math.isfinite(high):
        high, low = low, math.nextafter(low, 0)
    half = EXACT.divide(EXACT.add(decimal.Decimal(low), decimal.Decimal(high)), decimal.Decimal(2))
    text = str(half).lower()
    if "e" in text or "." not in text:
        return text
    return text + rng.choice(["", "0", "1", "0000000001"])


def subnormal(rng):
    number = struct.unpack("<d", rng.getrandbits(rng.randint(1, 52)).to_bytes(8, "little"))[0]
    return rng.choice([repr, lambda each: f"{each:.20e}", lambda each: f"{each:.330f}"])(number)


def integer(rng):
    return str(rng.getrandbits(rng.randint(1, 200)))


def digits(rng):
    """Any digits, point and exponent, in every spelling that JSON has."""
    whole = str(rng.randrange(10 ** rng.randint(1, 25)))
    part = "." + "".join(rng.choices("0123456789", k=rng.randint(1, 30))) if rng.random() < 0.7 else ""
    power = rng.choice("eE") + rng.choice(["", "+", "-"]) + str(rng.randint(0, 330)) if rng.random() < 0.6 else ""
    return rng.choice(["", "-"]) + whole + part + power


def zero(rng):
    return rng.choice(["", "-"]) + rng.choice(["0", "0.0", "0e5", "0E-400", "0.000e+9", "1e-400", "2e-324", "3e-324", "4.9e-324"])


FORMS = [degrees] * 5 + [near_degrees] * 3 + [shortest] * 4 + [seventeen] * 3 + [digits] * 3 + [integer, subnormal, middle, zero]


def decimals(rng, count):
    texts = []
    while len(texts) < count:
        text = rng.choice(FORMS)(rng)
        if math.isfinite(float(text)):
            texts.append(text)
    return texts


def run_batch(binary, seed, batch, count):
    rng = random.Random(f"{seed}/{batch}")
    texts = decimals(rng, count)
    theirs = array.array("d", map(float, texts)).tobytes()
    done = subprocess.run([binary, "numbers"], input="\n".join(texts).encode(), capture_output=True, check=False)
    if done.returncode != 0:
        return [f"batch {batch}: {done.stderr.decode().strip()}"]
    ours = done.stdout
    if len(ours) != len(theirs):
        return [f"batch {batch}: {len(ours)} bytes and not {len(theirs)}"]
    if ours == theirs:
        return []
    differ = [at for at in range(count) if ours[at * 8 : at * 8 + 8] != theirs[at * 8 : at * 8 + 8]]
    return [f"{texts[at]}: {struct.unpack_from('<d', ours, at * 8)[0]!r} and not {float(texts[at])!r}" for at in differ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    asked = parser.parse_args()
    assert sys.byteorder == "little", "bits are compared as bytes"
    print(f"HEXLANE_SEED={asked.seed} runs this again")
    sizes = [min(BATCH, asked.count - at) for at in range(0, asked.count, BATCH)]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        runs = [pool.submit(run_batch, asked.binary, asked.seed, batch, size) for batch, size in enumerate(sizes)]
        differing = [text for run in runs for text in run.result()]
    print("\n".join(differing[:TOLD_MAX]))
    print(f"{asked.count} numbers beside Python's float, {len(differing)} read otherwise")
    failed = bool(differing)
    print(f"test result: {'FAILED' if failed else 'ok'}. {1 - failed} passed; {int(failed)} failed")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
