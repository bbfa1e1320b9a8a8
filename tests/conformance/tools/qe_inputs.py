#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write Quantum ESPRESSO inputs for silicon cells, for the pseudopotentials of Debian's quantum-espresso-data.

usage:  qe_inputs.py [PSEUDO_DIR]     default /usr/share/espresso/pseudo; writes si2.in si8.in si64.in in this folder
then:   pw.x -in si8.in | grep -E '^!|convergence has'

        input   total energy (Ry)   SCF steps   what it calls
        si2       -15.85081793      6           2,217 zgemm, largest 8x16x534
        si8       -80.99105551      9           993 zgemm and 91 dgemm (ultrasoft: augmentation charges)
        si64     -506.45645976      11          5,437 zgemm, 475 GFLOP, largest 256x256x9104
Energies of QE 6.7 with Netlib, OpenBLAS or BLIS behind (si2: equal to the last digit on all three).
"""
import sys

PSEUDO = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/espresso/pseudo"
DIAMOND = [(0, 0, 0), (0, .5, .5), (.5, 0, .5), (.5, .5, 0),
           (.25, .25, .25), (.25, .75, .75), (.75, .25, .75), (.75, .75, .25)]


def head(ibrav, a, atoms, cutoff, bands):
    return (f"&control\n calculation='scf', prefix='si', pseudo_dir='{PSEUDO}', outdir='./tmp'\n/\n"
            f"&system\n ibrav={ibrav}, celldm(1)={a}, nat={atoms}, ntyp=1, ecutwfc={cutoff}, nbnd={bands}\n/\n"
            "&electrons\n conv_thr=1.0d-9, diagonalization='david'\n/\n")


def cubic(n, name, pseudo, cutoff, bands):
    atoms = [((x + i) / n, (y + j) / n, (z + k) / n)
             for i in range(n) for j in range(n) for k in range(n) for x, y, z in DIAMOND]
    with open(name, "w") as f:
        f.write(head(1, 10.2 * n, len(atoms), cutoff, bands))
        f.write(f"ATOMIC_SPECIES\n Si 28.086 {pseudo}\nATOMIC_POSITIONS crystal\n")
        f.writelines(f" Si {x:.6f} {y:.6f} {z:.6f}\n" for x, y, z in atoms)
        f.write("K_POINTS automatic\n 1 1 1 1 1 1\n")


with open("si2.in", "w") as f:
    f.write(head(2, 10.2, 2, 24.0, 8) + "ATOMIC_SPECIES\n Si 28.086 Si.pz-vbc.UPF\nATOMIC_POSITIONS alat\n"
            " Si 0.00 0.00 0.00\n Si 0.25 0.25 0.25\nK_POINTS automatic\n 4 4 4 1 1 1\n")
cubic(1, "si8.in", "Si.pbe-nl-rrkjus_psl.1.0.0.UPF", 30, 20)  # ultrasoft
cubic(2, "si64.in", "Si.pz-vbc.UPF", 16, 136)                 # norm-conserving
