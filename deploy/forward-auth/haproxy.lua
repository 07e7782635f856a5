-- Forward authentication with HAProxy. See haproxy.cfg.
local gatehouse = 'http://127.0.0.1:8080/v1/forward-auth/'

local identity = {
  'x-auth-account-id', 'x-auth-kind', 'x-auth-username', 'x-auth-application-id', 'x-auth-scopes',
  'x-auth-policy', 'x-auth-assertion',
}

-- The headers of the client that the decision depends on. Requests of external pages do not count toward bans.
local forwarded = { 'authorization', 'x-service-sudo-mode-jwt', 'origin', 'sec-fetch-site' }

-- Headers that describe the connection to Gatehouse.
local own = { ['connection'] = true, ['keep-alive'] = true, ['transfer-encoding'] = true, ['content-length'] = true }

-- Copies a list of header values, which starts at index 0.
local function values(list)
  local copy = {}
  for _, value in pairs(list) do copy[#copy + 1] = value end
  return copy
end

local function reject(txn, status, headers, body)
  txn:done(txn:reply({ status = status, headers = headers, body = body }))
end

core.register_action('gatehouse', { 'http-req' }, function(txn, policy)
  local sent = txn.http:req_get_headers()
  local headers = { ['x-forwarded-for'] = { txn.f:src() } }
  for _, name in ipairs(forwarded) do
    if sent[name] then headers[name] = values(sent[name]) end
  end
  local response = core.httpclient():get({ url = gatehouse .. policy, headers = headers, timeout = 5000 })
  if response.status == 200 then
    for _, name in ipairs(identity) do txn.http:req_set_header(name, response.headers[name][0]) end
    return
  end
  if response.status == 0 then
    reject(txn, 503, { ['content-type'] = { 'application/json' } }, '{"code":"SERVICE_UNAVAILABLE"}')
  else
    local passed = {}
    for name, list in pairs(response.headers) do
      if not own[name] then passed[name] = values(list) end
    end
    reject(txn, response.status, passed, response.body)
  end
end, 1)
