// Signs the person in through the JSON API and asks for consent. The session token lives in this page's memory only; it
// is ended when the decision is made.
(() => {
  const query = new URLSearchParams(location.search);
  const NAMES = [
    'client_id',
    'scope',
    'response_type',
    'redirect_uri',
    'state',
    'code_challenge',
    'code_challenge_method',
  ];
  const SCOPES = {
    identify: 'see your username, your name and your picture',
    email: 'see your e-mail address',
    bot: 'be known as an application whose bot you have added',
  };
  const WORDS = {
    INVALID_EMAIL_OR_PASSWORD: 'The address or the password is wrong.',
    INVALID_CODE: 'That code is not right.',
    SESSION_TIMEOUT: 'That took too long. Please sign in again.',
    SSO_REQUIRED: 'This service signs people in through single sign-on. Please use its own application.',
    CAPTCHA_REQUIRED: 'Please sign in through the application of this service.',
    RATE_LIMITED: 'Too many attempts. Please wait a while.',
    PASSKEY_AUTHENTICATION_FAILED: 'The passkey was not accepted.',
    ACCOUNT_SUSPENDED_TEMPORARILY: 'This account is suspended for a time.',
    ACCOUNT_SUSPENDED_PERMANENTLY: 'This account is suspended.',
    INVALID_CLIENT: 'This application is not known.',
    UNKNOWN_APPLICATION: 'This application is not known.',
    INVALID_REQUEST: 'The application asked in a way that is not allowed.',
    INVALID_SCOPE: 'The application asked for something that does not exist.',
    NOT_A_BOT_APPLICATION: 'This application has no bot.',
    BOT_IS_PRIVATE: 'The bot of this application is private.',
  };
  const $ = (id) => document.getElementById(id);
  const views = ['sign-in', 'second-factor', 'waiting', 'consent'];
  let session = '';
  let ticket = '';

  function show(view, focus) {
    for (const id of views) $(id).hidden = id !== view;
    $('status').textContent = '';
    if (!focus) return;
    // While an action runs every button is off, and what is off takes no focus.
    $(focus).disabled = false;
    $(focus).focus();
  }

  function fail(words, isFinal) {
    $('error').textContent = words;
    $('error').hidden = false;
    $('status').textContent = '';
    if (isFinal) {
      for (const id of views) $(id).hidden = true;
      $('title').focus();
    }
  }

  class Refused extends Error {
    constructor(body) {
      super(body.code);
      this.body = body;
      this.code = body.errors ? body.errors[0].code : body.code;
    }

    get words() {
      return WORDS[this.code] || WORDS[this.body.code] || 'That did not work. Please try again.';
    }
  }

  async function call(method, path, body) {
    const headers = {};
    if (body) headers['Content-Type'] = 'application/json';
    if (session) headers.Authorization = session;
    const answer = await fetch(path, {
      method,
      headers,
      body: body && JSON.stringify(body),
      referrerPolicy: 'no-referrer',
    });
    const text = await answer.text();
    const value = text ? JSON.parse(text) : {};
    if (!answer.ok) throw new Refused(value);
    return value;
  }

  function parameters() {
    const values = {};
    for (const name of NAMES) {
      const all = query.getAll(name);
      if (all.length > 1) throw new Refused({ code: 'INVALID_REQUEST' });
      if (all.length === 1 && all[0] !== '') values[name] = all[0];
    }
    return values;
  }

  // As the service decides it: equal to the byte, but for the port of a loopback address.
  function isRegistered(uri, registered) {
    if (registered.includes(uri)) return true;
    const form = /^http:\/\/(127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?(?=[/?]|$)/;
    const match = form.exec(uri);
    if (!match) return false;
    return registered.some((known) => {
      const other = form.exec(known);
      return other && other[1] === match[1] && known.slice(other[0].length) === uri.slice(match[0].length);
    });
  }

  function hostOf(uri) {
    try {
      return new URL(uri).host;
    } catch {
      return '';
    }
  }

  async function signedIn(answer) {
    session = answer.token;
    $('account').textContent = `${answer.user.username}#${answer.user.discriminator}`;
    $('error').hidden = true;
    show('consent', 'allow');
  }

  async function afterLogin(answer) {
    if (!answer.mfa) return signedIn(answer);
    ticket = answer.ticket;
    $('second-passkey').hidden = !(answer.webauthn && window.SimpleWebAuthnBrowser.browserSupportsWebAuthn());
    show('second-factor', 'code');
  }

  async function wait(ms) {
    await new Promise((resolve) => setTimeout(resolve, ms));
  }

  async function awaitConfirmation({ ticket: held, email }) {
    $('waiting-address').textContent = email;
    show('waiting');
    for (;;) {
      await wait(3000);
      const answer = await call('GET', `/v1/auth/ip-authorization/poll?ticket=${encodeURIComponent(held)}`);
      if (answer.completed) return signedIn(answer);
    }
  }

  async function withPasskey(optionsPath, completionPath, extra) {
    const optionsJSON = await call('POST', optionsPath, extra || {});
    let response;
    try {
      response = await window.SimpleWebAuthnBrowser.startAuthentication({ optionsJSON });
    } catch {
      throw new Refused({ code: 'PASSKEY_AUTHENTICATION_FAILED' });
    }
    return signedIn(await call('POST', completionPath, { ...extra, response, challenge: optionsJSON.challenge }));
  }

  async function decide(request, decision) {
    const { redirect_to: target } = await call('POST', '/v1/oauth2/authorize/consent', { ...request, decision });
    await call('POST', '/v1/auth/logout').catch(() => {});
    session = '';
    location.replace(target);
  }

  // One action at a time: the button is off until the answer is there, and a refusal is read out.
  function on(id, event, action) {
    $(id).addEventListener(event, async (occurrence) => {
      occurrence.preventDefault();
      const buttons = document.querySelectorAll('button');
      $('error').hidden = true;
      for (const button of buttons) button.disabled = true;
      try {
        await action();
      } catch (error) {
        if (!(error instanceof Refused)) fail('The service cannot be reached. Please try again.');
        else if (error.body.code === 'IP_AUTHORIZATION_REQUIRED') {
          awaitConfirmation(error.body).catch(() => {
            fail(WORDS.SESSION_TIMEOUT);
            show('sign-in', 'email');
          });
        } else {
          fail(error.words);
          if (error.code === 'SESSION_TIMEOUT') show('sign-in', 'email');
        }
      } finally {
        for (const button of buttons) button.disabled = false;
      }
    });
  }

  async function begin() {
    const request = parameters();
    if (!/^[0-9]{1,19}$/.test(request.client_id || '')) throw new Refused({ code: 'INVALID_CLIENT' });
    if ((request.response_type || 'code') !== 'code') throw new Refused({ code: 'INVALID_REQUEST' });
    const scopes = [...new Set((request.scope || '').split(/[ +]+/).filter(Boolean))];
    if (scopes.length === 0) throw new Refused({ code: 'INVALID_SCOPE' });
    const application = await call('GET', `/v1/oauth2/applications/${request.client_id}/public`);
    const needsRedirect = !(scopes.length === 1 && scopes[0] === 'bot');
    if (request.redirect_uri ? !isRegistered(request.redirect_uri, application.redirect_uris) : needsRedirect) {
      throw new Refused({ code: 'INVALID_REQUEST' });
    }
    for (const place of document.querySelectorAll('[data-application]')) place.textContent = application.name;
    document.title = `Authorise ${application.name}`;
    $('host').textContent = request.redirect_uri ? hostOf(request.redirect_uri) : location.host;
    for (const scope of scopes) {
      const item = document.createElement('li');
      item.textContent = SCOPES[scope] || scope;
      $('scopes').append(item);
    }
    on('sign-in', 'submit', async () => {
      afterLogin(await call('POST', '/v1/auth/login', { email: $('email').value, password: $('password').value }));
      $('password').value = '';
    });
    on('second-factor', 'submit', async () => {
      signedIn(await call('POST', '/v1/auth/login/mfa/totp', { ticket, code: $('code').value }));
    });
    on('passkey', 'click', () =>
      withPasskey('/v1/auth/webauthn/authentication-options', '/v1/auth/webauthn/authenticate'),
    );
    on('second-passkey', 'click', () =>
      withPasskey('/v1/auth/login/mfa/webauthn/authentication-options', '/v1/auth/login/mfa/webauthn', { ticket }),
    );
    on('allow', 'click', () => decide(request, 'approve'));
    on('deny', 'click', () => decide(request, 'deny'));
    $('passkey').hidden = !window.SimpleWebAuthnBrowser.browserSupportsWebAuthn();
    show('sign-in', 'email');
  }

  begin().catch((error) => fail(error instanceof Refused ? error.words : 'The service cannot be reached.', true));
})();
