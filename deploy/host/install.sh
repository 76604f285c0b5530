#!/bin/sh
# Installs a release of Gatehouse on a bare host, or takes it away. Run again it changes nothing that is right already.
set -eu; umask 022

program=install.sh
prefix=/opt/gatehouse
etc=/etc/gatehouse
units=/etc/systemd/system
lib=/var/lib/gatehouse
links=/usr/local/bin
account=gatehouse
id=65532

usage() {
  cat <<'TEXT'
install.sh: installs a release of Gatehouse on this host; run again it changes nothing that is right already

  install.sh --key FILE [--dry-run] [--release FILE] [--allow-downgrade]
  install.sh --identity URL --issuer URL [--dry-run] [--release FILE] [--allow-downgrade]
  install.sh --uninstall [--purge] [--dry-run]

  --key FILE        public key (PEM, P-256) of whoever releases; SHA256SUMS.sig is checked by it, with openssl
  --identity URL    instead of a key: the workflow that signed, as in its certificate; SHA256SUMS.sigstore.json is checked
  --issuer URL      by cosign, and who vouched for that workflow
  --release FILE    the tarball [the only one beside this script]; SHA256SUMS and its signature lie beside it
  --allow-downgrade takes a release that is older than the one that is installed; it starts on no state that is newer
  --dry-run         says what it would do, and changes nothing
  --uninstall       takes the release and its units away; state, settings and the account stay
  --purge           with --uninstall: those too

Nothing is installed that is not signed. Ends with 0 when it is done, 1 when it is not, 2 for a wrong command line.
TEXT
}

say() { printf '%s\n' "$*"; }
fail() { printf '%s: %s\n' "$program" "$1" >&2; [ $# -lt 2 ] || printf '  try: %s\n' "$2" >&2; exit 1; }
misused() { printf '%s: %s\n  try: %s --help\n' "$program" "$1" "$program" >&2; exit 2; }

act=install key='' identity='' issuer='' tarball='' dry=false purge=false downgrade=false
while [ $# -gt 0 ]; do
  case $1 in
    --key | --identity | --issuer | --release)
      [ -n "${2-}" ] || misused "expected a value after $1, got none"
      case $1 in --key) key=$2 ;; --identity) identity=$2 ;; --issuer) issuer=$2 ;; --release) tarball=$2 ;; esac
      shift 2
      ;;
    --dry-run) dry=true; shift ;;
    --allow-downgrade) downgrade=true; shift ;;
    --uninstall) act=uninstall; shift ;;
    --purge) purge=true; shift ;;
    --help) usage; exit 0 ;;
    *) misused "expected a flag that exists, got $1" ;;
  esac
done
[ "$purge" = false ] || [ "$act" = uninstall ] || misused 'expected --purge with --uninstall, got it alone'

# Says what is done, and does it unless it is only shown.
run() {
  if "$dry"; then say "would: $*"; else "$@"; fi
}

[ "$dry" = true ] || [ "$(id -u)" = 0 ] || fail 'expected to be root, got another user' "sudo, or look with --dry-run"
needs() {
  for needed in "$@"; do
    command -v "$needed" >/dev/null 2>&1 || fail "expected the program $needed, got none" "install it, then run $program again"
  done
}
manager() { [ ! -d /run/systemd/system ] || run systemctl "$@"; }

# --- what is installed ---------------------------------------------------------------------------------------------
verify_signature() {
  if [ -n "$key" ]; then
    [ -z "$identity$issuer" ] || misused 'expected --key, or --identity and --issuer, got both'
    needs openssl base64
    [ -f "$key" ] || fail "expected a public key at $key, got no file"
    [ -f "$folder/SHA256SUMS.sig" ] || fail "expected the signature $folder/SHA256SUMS.sig, got no file"
    base64 -d <"$folder/SHA256SUMS.sig" >"$work/signature" 2>/dev/null || fail 'SHA256SUMS.sig: expected base64, got something else'
    openssl dgst -sha256 -verify "$key" -signature "$work/signature" "$work/SHA256SUMS" >/dev/null 2>&1 ||
      fail 'the signature of SHA256SUMS is not by this key: nothing was installed' 'fetch the release and the key again, from where they are published'
  elif [ -n "$identity" ] && [ -n "$issuer" ]; then
    needs cosign
    [ -f "$folder/SHA256SUMS.sigstore.json" ] || fail "expected the bundle $folder/SHA256SUMS.sigstore.json, got no file"
    cosign verify-blob --bundle "$folder/SHA256SUMS.sigstore.json" --certificate-identity "$identity" \
      --certificate-oidc-issuer "$issuer" "$work/SHA256SUMS" >/dev/null 2>&1 ||
      fail 'the signature of SHA256SUMS is not by that workflow: nothing was installed' 'fetch the release again, from where it is published'
  else
    misused 'expected --key FILE, or --identity URL and --issuer URL, got neither: nothing is installed that is not signed'
  fi
}

find_release() {
  if [ -z "$tarball" ]; then
    case $(uname -m) in
      x86_64) architecture=x64 ;; aarch64) architecture=arm64 ;;
      *) fail "expected an x86_64 or aarch64 machine, got $(uname -m)" ;;
    esac
    beside=$(dirname -- "$(readlink -f -- "$0")")
    for file in "$beside"/gatehouse-v*-linux-"$architecture".tar.gz; do
      [ -f "$file" ] || continue
      [ -z "$tarball" ] || fail "expected one release beside this script, got several" "$program --release FILE"
      tarball=$file
    done
    [ -n "$tarball" ] || fail "expected a release beside this script, got none" "$program --release FILE"
  fi
  [ -f "$tarball" ] || fail "expected a release at $tarball, got no file"
  folder=$(dirname -- "$(readlink -f -- "$tarball")")
  file=$(basename -- "$tarball")
  [ -f "$folder/SHA256SUMS" ] || fail "expected $folder/SHA256SUMS, got no file"
  folder_inside=${file%.tar.gz}
  version=${folder_inside#gatehouse-}
  version=${version%-linux-*}
  case $version in
    v[0-9]*.[0-9]*.[0-9]*) ;;
    *) fail "expected a name such as gatehouse-v1.2.3-linux-x64.tar.gz, got $file" ;;
  esac
  case $version in *[!A-Za-z0-9.+-]*) fail "expected a version of letters, digits, dots and dashes, got $version" ;; esac
}

# Both are copied before they are looked at, so that what was verified is what is used.
verify_release() {
  needs sha256sum tar gzip
  cp -- "$folder/SHA256SUMS" "$work/SHA256SUMS"
  cp -- "$tarball" "$work/release.tar.gz"
  verify_signature
  wanted=''
  while read -r sum path; do [ "$path" != "$file" ] || wanted=$sum; done <"$work/SHA256SUMS"
  [ -n "$wanted" ] || fail "SHA256SUMS: expected a line for $file, got none"
  found=$(sha256sum <"$work/release.tar.gz")
  [ "${found%% *}" = "$wanted" ] || fail "$file: expected SHA-256 $wanted, got ${found%% *}: nothing was installed"
  say "verified $file"
}

# Whether the first version comes before the second. One with a suffix comes before the one that it leads to.
precedes() {
  one=$(printf '%s' "${1%%+*}" | sed 's/-/~/') other=$(printf '%s' "${2%%+*}" | sed 's/-/~/')
  [ "$one" != "$other" ] && [ "$(printf '%s\n' "$one" "$other" | sort -V | head -n 1)" = "$one" ]
}

# An older release is signed as well: whoever offers one may want a hole of it back.
judge_version() {
  installed=$(readlink "$prefix/current" 2>/dev/null) || return 0
  installed=${installed##*/}
  [ "$installed" != "$version" ] || return 0
  if ! precedes "$version" "$installed"; then
    say "replaces $installed by $version"
  elif "$downgrade"; then
    say "replaces $installed by $version, which is older"
  else
    fail "expected $installed or a newer release, got $version: nothing was installed" "$program --allow-downgrade, once docs/how-to/upgrade.md (Roll back) was read"
  fi
}

make_account() {
  if found=$(getent passwd "$account"); then
    case $found in
      "$account":*:"$id":"$id":*) return ;;
      *) fail "expected the account $account to be $id:$id, got $found" ;;
    esac
  fi
  ! getent passwd "$id" >/dev/null || fail "expected the uid $id to be free, got $(getent passwd "$id")"
  needs groupadd useradd
  getent group "$account" >/dev/null || run groupadd --system -K "SYS_GID_MAX=$id" --gid "$id" "$account"
  run useradd --system -K "SYS_UID_MAX=$id" --uid "$id" --gid "$id" --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin "$account"
}

# One that is there keeps its mode: it may belong to the host, as /usr/local/bin does.
make_directory() { [ -d "$1" ] || run install -d -m 0755 "$1"; }

# Whoever may write here decides what root runs.
make_own() {
  [ ! -d "$1" ] || [ -z "$(find "$1/" -maxdepth 0 '(' -perm /022 -o ! -uid 0 ')')" ] ||
    fail "expected $1 to be root's and written by nobody else, got $(stat -c 'mode %a of uid %u' -- "$1/")" "chown root $1 && chmod go-w $1"
  make_directory "$1"
}

# A place for secrets that others may look into is no such place.
make_private() {
  if [ -e "$1" ]; then
    found=$(stat -c '%u %a' -- "$1")
    [ "$found" = "0 $2" ] || fail "expected mode $2 of root on $1, got ${found#* } of uid ${found% *}" "chown root $1 && chmod $2 $1, then replace the secrets in it"
  elif [ "$2" = 700 ]; then
    run install -d -m 0700 -o 0 -g 0 "$1"
  else
    run install -m 0600 -o 0 -g 0 "$3" "$1"
  fi
}

place_release() {
  target=$prefix/$version
  if [ -f "$target/.sha256" ] && [ "$(cat "$target/.sha256")" = "$wanted" ]; then
    say "$target is there already"
  elif "$dry"; then
    say "would: unpack $file to $target"
  else
    rm -rf -- "$prefix/.new"
    install -d -m 0700 "$prefix/.new"
    tar -xzpf "$work/release.tar.gz" -C "$prefix/.new" --no-same-owner
    fresh=$prefix/.new/$folder_inside
    # Every sandbox starts a Node that it may read; the one of the service may be run and not read.
    install -d -m 0755 "$fresh/lib/rootfs/bin"
    install -m 0755 "$fresh/bin/node" "$fresh/lib/rootfs/bin/node"
    printf '%s\n' "$wanted" >"$fresh/.sha256"
    rm -rf -- "$target"
    mv -- "$fresh" "$target"
    rm -rf -- "$prefix/.new"
    say "installed $target"
  fi
  [ "$(readlink "$prefix/current" 2>/dev/null)" = "$version" ] || run ln -sfn "$version" "$prefix/current"
}

place_links() {
  make_directory "$links"
  for link in gatehouse svcctl; do
    [ "$(readlink "$links/$link" 2>/dev/null)" = "$prefix/current/bin/$link" ] || run ln -sfn "$prefix/current/bin/$link" "$links/$link"
  done
}

place_units() {
  if "$dry" && [ ! -d "$prefix/$version/systemd" ]; then
    say "would: put the units of $file into $units"
    return
  fi
  make_directory "$units"
  for unit in "$prefix/$version"/systemd/*.service; do
    cmp -s "$unit" "$units/$(basename "$unit")" || run install -m 0644 "$unit" "$units/"
  done
  manager daemon-reload
}

install_release() {
  work=$(mktemp -d)
  trap 'rm -rf -- "$work"' EXIT
  find_release
  verify_release
  judge_version
  make_account
  make_own "$etc"
  make_own "$prefix"
  make_private "$etc/credentials" 700
  place_release
  make_private "$etc/gatehouse.env" 600 "$prefix/$version/gatehouse.env"
  place_links
  place_units
  if "$dry"; then return; fi
  say 'Next: docs/how-to/bare-host.md; in short:'
  say '  systemctl enable --now gatehouse                  everything in one unit, without root'
  say '  systemctl enable --now gatehouse-control          the same in two, sandboxes apart and as root; then gatehouse-runner'
  say '  systemctl enable --now gatehouse-control-plane    no sandboxes, and nothing of root'
}

# --- what is taken away --------------------------------------------------------------------------------------------
all_units='gatehouse.service gatehouse-control.service gatehouse-runner.service gatehouse-control-plane.service gatehouse-sandboxes.service gatehouse-setup@.service'

stop_units() {
  for unit in $all_units; do
    # What was made ready is taken away, so the next installation on this host must make it ready anew.
    case $unit in *@.service) [ ! -e "$units/$unit" ] || manager stop "${unit%.service}*.service"; continue ;; esac
    [ ! -e "$units/$unit" ] || manager disable --now "$unit"
  done
}

# Disks of groups and the namespace of their unit: what is made at each boot goes with what makes it.
unmount_own() {
  own='' real=$(readlink -m -- "$lib")
  while read -r _ place _; do case $place in "$real"/disks/* | /run/gatehouse-setup/*) own="$place $own" ;; esac; done </proc/self/mounts
  for place in $own; do run umount "$place"; done
  [ ! -e /run/gatehouse-setup ] || run rm -rf /run/gatehouse-setup
}

refuse_mounted() {
  while read -r _ place _; do
    case $place in "$real"/*) fail "expected nothing mounted below $lib, got $place" "umount $place" ;; esac
  done </proc/self/mounts
}

remove_release() {
  stop_units
  unmount_own
  if "$purge"; then
    "$dry" || refuse_mounted
    [ ! -x "$prefix/current/bin/gatehouse" ] || run "$prefix/current/bin/gatehouse" setup --remove --state-dir "$lib/state" --disks-dir "$lib/disks"
  fi
  for unit in $all_units; do [ ! -e "$units/$unit" ] || run rm -f -- "$units/$unit"; done
  manager daemon-reload
  for link in gatehouse svcctl; do
    case $(readlink "$links/$link" 2>/dev/null) in "$prefix"/*) run rm -f -- "$links/$link" ;; esac
  done
  [ ! -e "$prefix" ] || run rm -rf -- "$prefix"
  if "$purge"; then
    for unit in $all_units; do [ ! -e "$units/$unit.d" ] || run rm -rf -- "$units/$unit.d"; done
    for path in "$etc" "$real" /run/gatehouse; do [ ! -e "$path" ] || run rm -rf -- "$path"; done
    if getent passwd "$account" >/dev/null; then run userdel "$account"; fi
    if getent group "$account" >/dev/null; then run groupdel "$account"; fi
    [ ! -L "$lib" ] || run rm -f -- "$lib"; say 'nothing is left'
  else
    say "$lib, $etc and the account $account stay; --purge takes them away too"
  fi
}

if [ "$act" = install ]; then install_release; else remove_release; fi
