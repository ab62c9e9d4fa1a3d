#!/bin/sh
# Owns one Redis server of one user, and ends it when nobody has used it for a while.
#
#   sh supervisor.sh ID IDLE_SECONDS start PROGRAM    starts the server with redis.conf
#   sh supervisor.sh ID IDLE_SECONDS adopt PID        takes over a server that runs
#
# Runs in the state folder. Files there:
#   server      the server that is in use; line "id=ID" says which
#   ending      the same file, while its supervisor makes up its mind
#   used        its time is set by everybody who uses the server, before they read "server" and while they run
#   seen        the time of "used" when this script last looked
#   supervisor  the process id of this script
#
# Times are only compared for being equal, and idle time is counted in sleeps, so that no step of the clock ends a server
# that is in use, or keeps one that is not.

id=$1
limit=$2
umask 077
trap '' HUP INT
echo "$$" >supervisor

if [ "$3" = start ]; then
  "$4" redis.conf &
  pid=$!
else
  pid=$4
fi

lives() {
  kill -0 "$pid" 2>/dev/null
}

end_server() {
  kill -TERM "$pid" 2>/dev/null
  kill -CONT "$pid" 2>/dev/null
  tries=0
  while lives; do
    tries=$((tries + 1))
    if [ "$tries" -gt 50 ]; then
      kill -KILL "$pid" 2>/dev/null
    fi
    sleep 0.1 2>/dev/null || sleep 1
  done
}

# In the background, since a shell heeds a signal only between two commands.
nap() {
  sleep "$1" &
  nap=$!
  wait "$nap"
}

used_again() {
  if [ -n "$(find used -newer seen 2>/dev/null; find seen -newer used 2>/dev/null)" ]; then
    touch -r used seen
    return 0
  fi
  return 1
}

nap=
trap 'kill $nap 2>/dev/null; end_server; exit 0' TERM

interval=$((limit / 20))
[ "$interval" -ge 1 ] || interval=1
[ "$interval" -le 30 ] || interval=30

touch -r used seen
idle=0
# For how many more seconds "server" may name another one, or nobody: its starter has to find out first that it answers.
# Later that means that another has taken its place, or that the folder is gone.
unknown=15
while lives; do
  if ! grep -qsx "id=$id" server; then
    unknown=$((unknown - 1))
    [ "$unknown" -gt 0 ] || break
    nap 1
    continue
  fi
  unknown=3
  nap "$interval"
  if used_again; then
    idle=0
    continue
  fi
  idle=$((idle + interval))
  [ "$idle" -ge "$limit" ] || continue

  # Whoever wants the server sets the time of "used" first and reads "server" then. This does it the other way round. So
  # either the use is seen here, and the server stays; or "server" is not found there, and they wait until "ending" is
  # gone before they start another one.
  mv server ending 2>/dev/null || continue
  if used_again; then
    mv ending server
    idle=0
    continue
  fi
  end_server
  rm -f ending
  exit 0
done
end_server
