# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# unpacked_env.sh: run Debian's test programs (libblas-test, hpcc, quantum-espresso, Open MPI, ...) from packages unpacked
# in a folder, with nothing installed: for a machine whose packages and alternatives must stay as they are.
# Where installing is fine, `apt-get install` is simpler and this file is not needed.
#
# usage:  R=/some/folder . unpacked_env.sh
#         unpack libblas3 libblas-test libopenblas0-serial liblapack3     # downloads what is missing and unpacks it into $R
#         LD_LIBRARY_PATH=$R/usr/lib/x86_64-linux-gnu/blas:$LLP $R/usr/lib/x86_64-linux-gnu/blas/xblat3d < ...
# Sets: A (the multiarch name), LLP (library folders of $R, for LD_LIBRARY_PATH behind the BLAS folder), PATH, and Open
# MPI's variables. Packages that the machine has already are not downloaded: they are used from where they are.
: "${R:?set R to the folder that holds the unpacked packages}"
case $(dpkg --print-architecture) in amd64) A=x86_64-linux-gnu ;; arm64) A=aarch64-linux-gnu ;; *) A=$(gcc -print-multiarch) ;; esac
export OPAL_PREFIX=$R/usr PMIX_INSTALL_PREFIX=$R/usr OPAL_LIBDIR=$R/usr/lib/$A
export OPAL_PKGLIBDIR=$R/usr/lib/$A/openmpi/lib/openmpi3 OPAL_PKGDATADIR=$R/usr/share/openmpi
export OMPI_MCA_mca_base_component_path=$OPAL_PKGLIBDIR OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1
export OMPI_MCA_ess_singleton_isolated=1   # programs started without mpirun
export OMPI_MCA_mpi_yield_when_idle=1      # without it, busy-waiting ranks that share a core crawl
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export LLP=$R/usr/lib/$A:$R/usr/lib/$A/openmpi/lib:$R/usr/lib
export PATH=$R/usr/bin:$PATH PYTHONPATH=$R/usr/lib/python3/dist-packages

unpack() { # PACKAGE...: download (with what they depend on) and unpack into $R
  mkdir -p "$R/archives/partial" || return
  apt-get -qq -o Debug::NoLocking=1 -o APT::Sandbox::User=root -o Dir::Cache::archives="$R/archives" \
    -o APT::Keep-Downloaded-Packages=true --no-install-recommends --download-only -y install "$@" >/dev/null || return
  local d
  for d in "$R"/archives/*.deb; do
    [ -e "$d" ] || continue
    [ -e "$R/archives/$(basename "$d").done" ] || { dpkg -x "$d" "$R" && : >"$R/archives/$(basename "$d").done"; } || return
  done
}
