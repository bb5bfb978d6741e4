# Sourced by the other tools: runs the steps of a script, each with one line on what it does and one
# on how long it took. Sets `root` and changes to it; the repository may lie anywhere.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=${QMARKET_JOBS:-$(nproc)}

# step DESCRIPTION COMMAND...: runs the command and lets its output through.
step() {
  local description=$1 start=$SECONDS status=0
  shift
  echo "==> $description" >&2
  "$@" || status=$?
  if ((status != 0)); then
    echo "==> $description: failed with status $status after $((SECONDS - start)) s" >&2
    exit "$status"
  fi
  echo "==> $description: $((SECONDS - start)) s" >&2
}

# quiet_step DESCRIPTION COMMAND...: as step, but shows the output only if the command fails. All of
# it is kept in build/logs.
quiet_step() {
  local description=$1
  shift
  mkdir -p build/logs
  step "$description" log_unless_failed "build/logs/${description//[^a-zA-Z0-9]/-}.log" "$@"
}

log_unless_failed() {
  local log=$1 status=0
  shift
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    echo "--- end of $log" >&2
    tail -n 150 "$log" >&2
  fi
  return "$status"
}

# configure PRESET OPTION...
configure() {
  local preset=$1
  shift
  quiet_step "configure $preset" cmake --preset "$preset" "$@"
}

# build PRESET OPTION...
build() {
  local preset=$1
  shift
  quiet_step "build $preset" cmake --build --preset "$preset" -j "$jobs" "$@"
}
