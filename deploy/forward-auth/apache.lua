-- Forward authentication with Apache. See apache.conf.
local http = require('socket.http')
local ltn12 = require('ltn12')

local gatehouse = 'http://127.0.0.1:8080/v1/forward-auth/'

local identity = {
  'X-Auth-Account-Id', 'X-Auth-Kind', 'X-Auth-Username', 'X-Auth-Application-Id', 'X-Auth-Scopes',
  'X-Auth-Policy', 'X-Auth-Assertion',
}

-- The headers of the client that the decision depends on. Requests of external pages do not count toward bans.
local forwarded = { 'Authorization', 'X-Service-Sudo-Mode-JWT', 'Origin', 'Sec-Fetch-Site' }

-- Headers that describe the connection to Gatehouse.
local own = { ['connection'] = true, ['keep-alive'] = true, ['transfer-encoding'] = true, ['content-length'] = true }

-- Removes a header in every spelling with "-" and "_". Upper and lower case are the same.
local function remove(headers, name, start)
  local at = name:find('-', start, true)
  if not at then
    headers[name] = nil
    return
  end
  remove(headers, name, at + 1)
  remove(headers, name:sub(1, at - 1) .. '_' .. name:sub(at + 1), at + 1)
end

function check(r)
  for _, name in ipairs(identity) do remove(r.headers_in, name, 1) end
  local headers = { ['X-Forwarded-For'] = r.useragent_ip }
  for _, name in ipairs(forwarded) do headers[name] = r.headers_in[name] end
  local body = {}
  http.TIMEOUT = 5
  local _, status, answer = http.request({
    url = gatehouse .. r.subprocess_env['GATEHOUSE_POLICY'],
    headers = headers,
    redirect = false,
    sink = ltn12.sink.table(body),
  })
  if status == 200 then
    for _, name in ipairs(identity) do r.headers_in[name] = answer[name:lower()] end
    return apache2.OK
  end
  if type(status) ~= 'number' then return 503 end
  r.status = status
  for name, value in pairs(answer) do
    if not own[name] then r.headers_out[name] = value end
  end
  r.content_type = answer['content-type'] or 'application/json'
  r:puts(table.concat(body))
  return apache2.DONE
end
