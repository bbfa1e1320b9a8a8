# SPDX-License-Identifier: MIT
"""The same library from Python: products of arrays with a certificate, matrices that stay on the device, a future, a solve.
Usage: 05_python.py, with the package installed (pip install .) or on PYTHONPATH."""
import numpy as np

import apple_bottom as ab


def show_classes(a, b):
    """One product in each class, and what is proven of it."""
    reference = a @ b
    for word in ("dd", "fast", "fp64", "strict"):
        with ab.precision(word):
            c = ab.dgemm(a, b)
        product = ab.last_product()
        print(f"{word:7} largest difference from numpy {np.abs(c - reference).max():.1e}, certified {product['bound']:9.4g} u|A||B|, {product['scheme']}")


def iterate_on_the_device(a, steps):
    """The dominant eigenvalue of a symmetric matrix by powers; the matrix travels once."""
    with ab.Matrix.from_array(a) as matrix, ab.Matrix.from_array(np.ones((len(a), 1))) as vector:
        for _ in range(steps):
            with matrix @ vector as following:
                length = np.linalg.norm(following.download())
                following.scale(1.0 / length)
                vector.copy_from(following)
        return length


def main():
    random = np.random.default_rng(1)
    a, b = random.standard_normal((300, 200)), random.standard_normal((200, 250))
    print(f"apple-bottom {ab.version()} on {ab.info()['devices'][ab.info()['device']]['name']}")
    show_classes(a, b)

    symmetric = ab.dsyrk(a)
    positive = ab.dsyrk(random.random((300, 200)))
    print(f"dominant eigenvalue {iterate_on_the_device(positive, 20):.6f}, numpy's {np.linalg.eigvalsh(positive)[-1]:.6f}")

    with ab.Matrix.from_array(a) as x, ab.Matrix.from_array(b) as y, ab.Matrix(300, 250) as z, ab.dgemm_async(x, y, z) as future:
        future.wait()
        print(f"the future's product has the bits of dgemm: {np.array_equal(z.download(), ab.dgemm(a, b))}")

    system = symmetric + 300.0 * np.eye(300)
    solution = ab.solve(system, a)
    print(f"residual of solve {np.abs(system @ solution - a).max():.1e}")


if __name__ == "__main__":
    main()
