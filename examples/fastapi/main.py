import os
from urllib.parse import urlencode

from authlib.integrations.starlette_client import OAuth, OAuthError
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.middleware.sessions import SessionMiddleware

SITE_URL = os.environ['SITE_URL']

app = FastAPI()
app.add_middleware(
    SessionMiddleware,
    secret_key=os.environ['SESSION_SECRET'],
    https_only=SITE_URL.startswith('https:'),
)

gatehouse = OAuth().register(
    'gatehouse',
    server_metadata_url=os.environ['GATEHOUSE_URL'] + '/.well-known/openid-configuration',
    client_id=os.environ['CLIENT_ID'],
    client_secret=os.environ['CLIENT_SECRET'],
    client_kwargs={'scope': 'openid profile email', 'code_challenge_method': 'S256'},
)


@app.get('/', response_class=HTMLResponse)
async def index():
    return '<a href="/private">Sign in</a>'


@app.get('/private')
async def private(request: Request):
    if 'user' not in request.session:
        return RedirectResponse('/login', status_code=302)
    return request.session['user']


@app.get('/login')
async def login(request: Request):
    return await gatehouse.authorize_redirect(request, SITE_URL + '/login/callback')


@app.get('/login/callback')
async def callback(request: Request):
    try:
        token = await gatehouse.authorize_access_token(request)
    except OAuthError as error:
        raise HTTPException(status_code=401, detail=error.error)
    claims = token['userinfo']
    # Identify users only by `sub`, because names and email addresses can change.
    request.session['user'] = {key: claims.get(key) for key in ('sub', 'name', 'email')}
    request.session['id_token'] = token['id_token']
    return RedirectResponse('/private', status_code=302)


@app.get('/logout')
async def logout(request: Request):
    metadata = await gatehouse.load_server_metadata()
    parameters = {'post_logout_redirect_uri': SITE_URL}
    if 'id_token' in request.session:
        parameters['id_token_hint'] = request.session['id_token']
    request.session.clear()
    return RedirectResponse(metadata['end_session_endpoint'] + '?' + urlencode(parameters), status_code=302)
