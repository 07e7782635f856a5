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
    INVALID_CAPTCHA: 'The check that you are human was not accepted. Please try again.',
    CAPTCHA_UNAVAILABLE: 'The check that you are human cannot be loaded. Sign in with a device that is signed in.',
    HANDOFF_EXPIRED: 'That code has expired. Please ask for another one.',
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
  const views = ['sign-in', 'second-factor', 'waiting', 'handoff', 'consent'];
  const DECISIONS = ['allow', 'deny'];
  /** What is pressed before anybody can have read the question is no answer to it. */
  const READING_MS = 1000;
  const POLL_MS = 3000;
  let service;
  let session = '';
  let ticket = '';
  let decidableAt = 0;
  let isActing = false;
  /** Which of the waits goes on; the others have been given up. */
  let wait = 0;

  function show(view, focus) {
    for (const id of views) $(id).hidden = id !== view;
    $('status').textContent = '';
    wait++;
    $(focus).focus();
  }

  function showSignIn() {
    const { enforced } = service.sso;
    $('by-password').hidden = enforced;
    $('by-provider').hidden = !enforced;
    // What is off takes no focus.
    isActing = false;
    refreshButtons();
    show('sign-in', enforced ? 'device' : 'email');
  }

  /** Every button is off while an action runs, and the decision until the question can have been read. */
  function refreshButtons() {
    const isEarly = performance.now() < decidableAt;
    for (const button of document.querySelectorAll('button')) {
      button.disabled = isActing || (isEarly && DECISIONS.includes(button.id));
    }
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
    constructor(body, status = 400) {
      super(body.code);
      this.body = body;
      /** Another time the same may be answered. */
      this.isPassing = status === 429 || status >= 500;
      this.code = body.errors ? body.errors[0].code : body.code;
    }

    get words() {
      return WORDS[this.code] || WORDS[this.body.code] || 'That did not work. Please try again.';
    }
  }

  async function call(method, path, body, more = {}) {
    const headers = { ...more };
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
    if (!answer.ok) throw new Refused(value, answer.status);
    return value;
  }

  /** The same for an operation that may want to see a captcha first. */
  async function callAsHuman(path, body) {
    try {
      return await call('POST', path, body);
    } catch (error) {
      if (error.code !== 'CAPTCHA_REQUIRED') throw error;
    }
    $('status').textContent = 'Checking that you are human…';
    const token = await import('/oauth2/authorize/captcha.js')
      .then(({ earn }) => earn(service.captcha, $('captcha')))
      .catch(() => {
        throw new Refused({ code: 'CAPTCHA_UNAVAILABLE' });
      });
    const { provider } = service.captcha;
    return call('POST', path, body, { 'X-Captcha-Token': token, 'X-Captcha-Type': provider });
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
    const { user } = answer;
    const { email } = await call('GET', '/v1/users/@me').catch(() => ({}));
    const tag = `${user.username}#${user.discriminator}`;
    $('account').textContent = user.global_name ? `${user.global_name} (${tag})` : tag;
    $('contact').textContent = email ? `, ${email}` : '';
    $('error').hidden = true;
    $('password').value = '';
    $('code').value = '';
    decidableAt = performance.now() + READING_MS;
    setTimeout(refreshButtons, READING_MS + 1);
    show('consent', 'consent-title');
    refreshButtons();
  }

  async function signOut() {
    await call('POST', '/v1/auth/logout').catch(() => {});
    session = '';
  }

  async function afterLogin(answer) {
    if (!answer.mfa) return signedIn(answer);
    ticket = answer.ticket;
    $('second-passkey').hidden = !(answer.webauthn && window.SimpleWebAuthnBrowser.browserSupportsWebAuthn());
    show('second-factor', 'code');
  }

  /** Asks again and again until `isOver`. A question or an answer that is lost on the way ends nothing. */
  async function poll(ask, isOver) {
    const mine = wait;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (wait !== mine) return null;
      try {
        const answer = await ask();
        if (wait !== mine) return null;
        if (isOver(answer)) return answer;
      } catch (error) {
        if (error instanceof Refused && !error.isPassing) throw error;
      }
    }
  }

  /** What is waited for ends in a session, or in words. */
  function afterWait(waited, words) {
    waited
      .then((answer) => answer && signedIn(answer))
      .catch((error) => {
        showSignIn();
        fail(error.code === 'SSO_REQUIRED' ? error.words : words);
      });
  }

  function awaitConfirmation({ ticket: held, email }) {
    $('waiting-address').textContent = email;
    show('waiting', 'waiting-title');
    const path = `/v1/auth/ip-authorization/poll?ticket=${encodeURIComponent(held)}`;
    const waited = poll(
      () => call('GET', path),
      ({ completed }) => completed,
    );
    afterWait(waited, WORDS.SESSION_TIMEOUT);
  }

  async function beginHandoff() {
    const { code, poll_secret } = await call('POST', '/v1/auth/handoff/initiate');
    $('handoff-code').textContent = code;
    show('handoff', 'handoff-title');
    const path = `/v1/auth/handoff/${encodeURIComponent(code)}/status`;
    const waited = poll(
      () => call('POST', path, { poll_secret }),
      ({ status }) => status !== 'pending',
    );
    afterWait(
      waited.then((answer) => {
        if (answer && answer.status !== 'completed') throw new Refused({ code: 'HANDOFF_EXPIRED' });
        return answer;
      }),
      WORDS.HANDOFF_EXPIRED,
    );
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
    await signOut();
    location.replace(target);
  }

  // One action at a time: the button is off until the answer is there, and a refusal is read out.
  function on(id, event, action) {
    $(id).addEventListener(event, async (occurrence) => {
      occurrence.preventDefault();
      if (isActing || (DECISIONS.includes(id) && performance.now() < decidableAt)) return;
      isActing = true;
      $('error').hidden = true;
      refreshButtons();
      try {
        await action();
      } catch (error) {
        if (!(error instanceof Refused)) fail('The service cannot be reached. Please try again.');
        else if (error.code === 'IP_AUTHORIZATION_REQUIRED') awaitConfirmation(error.body);
        else if (error.code === 'SSO_REQUIRED') {
          service.sso.enforced = true;
          showSignIn();
        } else {
          if (error.code === 'SESSION_TIMEOUT') showSignIn();
          fail(error.words);
        }
      } finally {
        isActing = false;
        refreshButtons();
      }
    });
  }

  async function begin() {
    const request = parameters();
    if (!/^[0-9]{1,19}$/.test(request.client_id || '')) throw new Refused({ code: 'INVALID_CLIENT' });
    if ((request.response_type || 'code') !== 'code') throw new Refused({ code: 'INVALID_REQUEST' });
    const scopes = [...new Set((request.scope || '').split(/[ +]+/).filter(Boolean))];
    if (scopes.length === 0) throw new Refused({ code: 'INVALID_SCOPE' });
    service = await call('GET', '/.well-known/service');
    for (const place of document.querySelectorAll('[data-service]')) place.textContent = service.product_name;
    $('provider').textContent = service.sso.display_name || 'single sign-on';
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
      await afterLogin(await callAsHuman('/v1/auth/login', { email: $('email').value, password: $('password').value }));
    });
    on('second-factor', 'submit', async () => {
      await signedIn(await call('POST', '/v1/auth/login/mfa/totp', { ticket, code: $('code').value }));
    });
    on('passkey', 'click', () =>
      withPasskey('/v1/auth/webauthn/authentication-options', '/v1/auth/webauthn/authenticate'),
    );
    on('second-passkey', 'click', () =>
      withPasskey('/v1/auth/login/mfa/webauthn/authentication-options', '/v1/auth/login/mfa/webauthn', { ticket }),
    );
    on('device', 'click', beginHandoff);
    on('handoff-cancel', 'click', async () => showSignIn());
    on('switch', 'click', async () => {
      await signOut();
      showSignIn();
    });
    on('allow', 'click', () => decide(request, 'approve'));
    on('deny', 'click', () => decide(request, 'deny'));
    // A key that is held down says nothing that it has not said before.
    $('consent').addEventListener('keydown', (occurrence) => {
      if (occurrence.repeat && occurrence.key !== 'Tab') occurrence.preventDefault();
    });
    $('passkey').hidden = !window.SimpleWebAuthnBrowser.browserSupportsWebAuthn();
    showSignIn();
  }

  begin().catch((error) => fail(error instanceof Refused ? error.words : 'The service cannot be reached.', true));
})();
