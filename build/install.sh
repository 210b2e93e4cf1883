#!/usr/bin/env bash
# Installs the built programs for a user or a system, or removes them.
#
#   build/install.sh install     copies the programs in $BIN to $PREFIX/bin, with completions, manual pages and, on Linux,
#                                the menu entry and its icons
#   build/install.sh uninstall   removes what install copied; asks whether to remove the entry from editors first. Without a
#                                terminal, UNREGISTER=yes removes the entry, and UNREGISTER=no keeps it
#
# PREFIX is ~/.local by default, BIN is bin. DESTDIR is prepended to every written path, as packages need it.
set -euo pipefail
cd "$(dirname "$0")/.."

bin=${BIN:-bin}
prefix=${PREFIX:-$HOME/.local}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
root=${DESTDIR:-}$prefix
program=$prefix/bin/agent-discover
list=$root/share/agent-discover/installed # the paths of all installed files, relative to the prefix

say() { printf '%s\n' "$*"; }
die() {
  printf 'install: %s\n' "$*" >&2
  exit 1
}

# put MODE FILE: installs standard input as a file below the prefix. It is renamed into place, because the program that it
# replaces may be running.
put() {
  local to=$root/$2
  mkdir -p "$(dirname "$to")"
  local new
  new=$(mktemp "$to.XXXXXX")
  cat >"$new"
  chmod "$1" "$new"
  mv -f "$new" "$to"
  printf '%s\n' "$2" >>"$list.new"
}

names=(agent-discover agent-discover-desktop agent-discover-tray)

check_built() {
  local name
  for name in "${names[@]}"; do
    [ -x "$bin/$name" ] || die "$bin/$name is missing; build it with: make build desktop tray"
  done
}

programs() {
  local name
  for name in "${names[@]}"; do put 755 "bin/$name" <"$bin/$name"; done
}

completions() {
  "$bin/agent-discover" completion bash | put 644 share/bash-completion/completions/agent-discover
  "$bin/agent-discover" completion zsh | put 644 share/zsh/site-functions/_agent-discover
  "$bin/agent-discover" completion fish | put 644 share/fish/vendor_completions.d/agent-discover.fish
}

manual() {
  local pages page
  pages=$(mktemp -d)
  "$bin/agent-discover" man "$pages" >/dev/null
  for page in "$pages"/*.1; do put 644 "share/man/man1/${page##*/}" <"$page"; done
  rm -r "$pages"
}

# menu: the entry holds whole paths, because a desktop session's PATH often lacks ~/.local/bin.
menu() {
  local line
  while IFS= read -r line; do
    case $line in
      Exec=*)
        line=${line#Exec=}
        printf 'Exec="%s/bin/%s" %s\n' "$prefix" "${line%% *}" "${line#* }"
        ;;
      TryExec=*) printf 'TryExec=%s/bin/%s\n' "$prefix" "${line#TryExec=}" ;;
      *) printf '%s\n' "$line" ;;
    esac
  done <build/linux/agent-discover-desktop.desktop | put 644 share/applications/agent-discover-desktop.desktop
  local icon
  for icon in $(cd build/linux && find hicolor -type f); do
    put 644 "share/icons/$icon" <"build/linux/$icon"
  done
}

# refresh: tells the desktop about a changed menu, where it keeps caches.
refresh() {
  [ -z "${DESTDIR:-}" ] || return 0
  update-desktop-database -q "$prefix/share/applications" 2>/dev/null || true
  gtk-update-icon-cache -q -t -f "$prefix/share/icons/hicolor" 2>/dev/null || true
}

install_all() {
  check_built
  mkdir -p "$(dirname "$list")"
  : >"$list.new"
  programs
  completions
  manual
  [ "$(uname -s)" != Linux ] || menu
  # Files of an earlier version that this one does not have.
  if [ -f "$list" ]; then
    sort "$list" | comm -23 - <(sort "$list.new") | while read -r old; do rm -f "$root/$old"; done
  fi
  mv -f "$list.new" "$list"
  refresh
  say "Installed agent-discover, agent-discover-desktop and agent-discover-tray in $prefix/bin."
  [ -z "${DESTDIR:-}" ] || return 0
  case :$PATH: in
    *:$prefix/bin:*) ;;
    *) say "$prefix/bin is not in PATH; add it to use agent-discover in a shell." ;;
  esac
  say "Next: agent-discover setup, or open Agent Discover from the menu."
  say "A running hub of an older version is replaced when it is idle; agent-discover restart replaces it now."
}

# wake: starts the hub if the user has stopped it, because only a hub knows the entries of editors. If nothing is removed, it
# is stopped again.
wake() {
  case $("$program" status --json 2>/dev/null) in
    *'"stopped_by_user": true'*) ;;
    *) return 0 ;;
  esac
  trap '"$program" stop >/dev/null' EXIT
  "$program" start >/dev/null || die "nothing was removed"
}

# entries DATA: offers to remove the entries that editors have, which would start a program that is gone.
entries() {
  if [ -t 0 ] && [ -t 1 ]; then
    say "Editors that have the entry start a program that is about to be removed."
    wake
    "$program" editors unregister --all || die "nothing was removed; run make uninstall again to continue"
    return
  fi
  case ${UNREGISTER:-} in
    yes)
      wake
      "$program" editors unregister --all --yes || die "nothing was removed"
      ;;
    no) say "Entries in editors stay, and start a program that is about to be removed." ;;
    *)
      [ -d "$1" ] || return 0 # without a data folder, no entry was ever added
      wake
      local editors
      if ! editors=$("$program" editors list --json 2>/dev/null); then
        "$program" editors list >/dev/null || true # says why, as text
        die "could not find out which editors have the entry; nothing was removed. Remove it with UNREGISTER=yes, or keep it with UNREGISTER=no"
      fi
      case $editors in
        *'"state": "registered"'*)
          die "editors have the entry; nothing was removed. Remove it too with UNREGISTER=yes, or keep it with UNREGISTER=no"
          ;;
      esac
      ;;
  esac
}

uninstall_all() {
  local data=${AGENT_DISCOVER_HOME:-$HOME/.agent-discover} stopped=''
  check_built
  [ -f "$list" ] || die "nothing is installed in $prefix (PREFIX names another folder)"
  if [ -z "${DESTDIR:-}" ] && [ -x "$program" ]; then
    entries "$data"
    if "$program" status >/dev/null 2>&1; then
      "$program" stop >/dev/null
      stopped=$data/run/stopped # keeps editors from starting the hub until the programs are gone
    fi
    trap - EXIT # of wake
    local login
    for login in "${XDG_CONFIG_HOME:-$HOME/.config}/autostart/agent-discover-tray.desktop" "$HOME/Library/LaunchAgents/agent-discover-tray.plist"; do
      if grep -qsF "$prefix/bin/" "$login"; then rm -f "$login"; fi
    done
  fi
  local file
  while read -r file; do
    rm -f "$root/$file"
    (cd "$root" && rmdir -p "$(dirname "$file")" 2>/dev/null) || true # other programs may use the folder
  done <"$list"
  rm -f "$list"
  rmdir "$(dirname "$list")" 2>/dev/null || true
  [ -z "$stopped" ] || rm -f "$stopped" # an editor may start the hub after the next installation
  local icons=$root/share/icons/hicolor # its cache was made for the icons that are gone
  if [ "$(ls -A "$icons" 2>/dev/null)" = icon-theme.cache ]; then
    rm -f "$icons/icon-theme.cache"
    (cd "$root" && rmdir -p share/icons/hicolor 2>/dev/null) || true
  fi
  refresh
  say "Removed Agent Discover from $prefix."
  [ ! -d "$data" ] || say "Your servers and settings stay in $data, and secrets in the keychain. To remove them too: $bin/agent-discover purge"
}

case ${1:-} in
  install) install_all ;;
  uninstall) uninstall_all ;;
  *) die "usage: build/install.sh install|uninstall" ;;
esac
