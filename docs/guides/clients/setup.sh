# Defines what the commands of the guides use: API, EMAIL, PASSWORD, SESSION, json and send. Run it in a checkout with
# `. docs/guides/clients/setup.sh`, or paste its lines into a terminal. The user of this terminal stays the same.
API=${API:-http://localhost:8080}
PASSWORD=${PASSWORD:-a long enough password}

# Prints a member of the JSON on standard input. If there is none, prints the input and fails.
json() { node -e "
  const body = require('fs').readFileSync(0, 'utf8'); let value;
  try { value = JSON.parse(body)$1 } catch {}
  if (value === undefined) { console.error(body); process.exit(1) }
  console.log(value)"; }

# Calls an operation.
send() { curl -sS "$API$1" -H 'content-type: application/json' -w '\n' "${@:2}"; }

# Keeps a session that works. Otherwise signs in again, or registers a user.
case $(send /v1/users/@me -H "Authorization: ${SESSION:-}" -o /dev/null -w '%{http_code}') in
  200*) ;;
  *)
    SESSION=$([ -n "${SESSION:-}" ] && send /v1/auth/login -d "{\"email\": \"$EMAIL\", \"password\": \"$PASSWORD\"}" | json .token 2>/dev/null)
    if [ -z "$SESSION" ]; then
      EMAIL="ada.$RANDOM$RANDOM@example.com"
      SESSION=$(send /v1/auth/register -d "{\"email\": \"$EMAIL\", \"password\": \"$PASSWORD\"}" | json .token)
    fi
    ;;
esac
