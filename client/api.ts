/** Written by `npm run client` from the description of the service; not by hand. */
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Redirect to the page for changing the password */
        get: operations["siteFilesChangePassword"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the public keys that verify tokens of this service (RFC 7517) */
        get: operations["jwksKeySet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the OAuth2 server metadata (RFC 8414) */
        get: operations["metadataDescribe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the OpenID Provider metadata (OpenID Connect Discovery) */
        get: operations["openIdDescribe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/passkey-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the pages where users add and manage passkeys (W3C Passkey Endpoints) */
        get: operations["siteFilesPasskeyEndpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/security.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the security contact (RFC 9116) */
        get: operations["siteFilesSecurityContact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/service": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Describe this instance to clients */
        get: operations["discoveryDescribe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/webauthn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the origins that may use passkeys of this relying party */
        get: operations["siteFilesRelatedOrigins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/{view}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageAccountView"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a view of the administration console */
        get: operations["consolePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/{view}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a view of the administration console */
        get: operations["consolePageAdminView"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a static file of the pages */
        get: operations["assetsFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asyncapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the AsyncAPI document of the gateway */
        get: operations["docsAsyncapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/authorize-ip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageAuthAuthorizeIp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email-revert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageAuthEmailRevert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/lockdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageAuthLockdown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageAuthPasskey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageAuthReset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sso/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageAuthSsoCallback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageAuthVerify"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dev/components": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page with every UI component */
        get: operations["componentsComponents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dev/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the development inbox as a page */
        get: operations["inboxPage"];
        put?: never;
        post?: never;
        /** Empty the development inbox */
        delete: operations["inboxClear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dev/inbox.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the messages of the development inbox */
        get: operations["inboxList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dev/mails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show every kind of message in every language, with sample data */
        get: operations["mailsPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dev/mails/{language}/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show one message as HTML, as an email program receives it */
        get: operations["mailsMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the API reference as a page */
        get: operations["docsPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a file of the API reference page */
        get: operations["docsFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/favicon.ico": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the icon of the site */
        get: operations["siteFilesFavicon"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageForgot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/guides": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Redirect to the first page of the guides */
        get: operations["guidesStart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/guides/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a page or a file of the guides */
        get: operations["guidesFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/handoff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageHandoff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether the process responds */
        get: operations["healthLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether the process should receive traffic */
        get: operations["healthReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/attachments/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download an attachment */
        get: operations["mediaAttachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/avatars/{owner_id}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download an avatar */
        get: operations["mediaAvatar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/banners/{owner_id}/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download a banner */
        get: operations["mediaBanner"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/external/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reject a signature without a target */
        get: operations["mediaUnsigned"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/external/{signature}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download external media by a signed URL */
        get: operations["mediaExternal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/relay/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Upload the bytes of a planned upload */
        put: operations["mediaRelay"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get metrics in Prometheus text format */
        get: operations["healthPrometheus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open the consent page for applications */
        get: operations["consentPagePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the OpenAPI document */
        get: operations["docsOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/passkey-bridge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPagePasskeyBridge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageRegister"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/robots.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the robots file */
        get: operations["siteFilesRobots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/acls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the ACLs in the order of the registry */
        get: operations["aclsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the caller's Admin API keys */
        get: operations["adminKeysList"];
        put?: never;
        /** Creates an Admin API key */
        post: operations["adminKeysCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows an Admin API key of the caller */
        get: operations["adminKeysShow"];
        put?: never;
        post?: never;
        /** Revokes an Admin API key */
        delete: operations["adminKeysRevoke"];
        options?: never;
        head?: never;
        /** Changes the name or the ACLs of an Admin API key */
        patch: operations["adminKeysEdit"];
        trace?: never;
    };
    "/v1/admin/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the applications of an owner */
        get: operations["adminApplicationsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/applications/{application_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows an application */
        get: operations["adminApplicationsShow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Transfers an application to another owner */
        patch: operations["adminApplicationsTransfer"];
        trace?: never;
    };
    "/v1/admin/audit-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists entries of the audit log, newest first */
        get: operations["auditList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit-logs/{log_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows an entry of the audit log */
        get: operations["auditShow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/blocklists/ip/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists banned IP addresses and ranges */
        get: operations["ipBansList"];
        put?: never;
        /** Bans an IP address or a range */
        post: operations["ipBansBan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/blocklists/ip/entries/{value}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports whether an IP address is banned, and by which entry */
        get: operations["ipBansCheck"];
        put?: never;
        post?: never;
        /** Lifts the ban of an IP address or a range */
        delete: operations["ipBansLift"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Explain the result of a hypothetical call */
        post: operations["explainExplain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/instance/captcha/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tests a solved captcha the way captchas of users are verified */
        post: operations["instanceTryOutCaptcha"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/instance/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the settings of the instance */
        get: operations["instanceShow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes settings of the instance */
        patch: operations["instanceChange"];
        trace?: never;
    };
    "/v1/admin/instance/mail/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a test email to the caller and reports whether it was sent */
        post: operations["instanceTryOutMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/instance/pending-registrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists registrations that wait for approval */
        get: operations["instanceList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/instance/pending-registrations/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Approves or rejects a registration */
        patch: operations["instanceDecide"];
        trace?: never;
    };
    "/v1/admin/instance/sso/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tests the stored configuration of single sign-on */
        post: operations["instanceTryOutSso"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/instance/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows current statistics of the instance, per replica and in total */
        get: operations["instanceShowStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists failed or waiting background jobs, and counts the jobs of each name */
        get: operations["jobsShow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/jobs/{job_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a failed background job due again */
        post: operations["jobsRetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Searches accounts */
        get: operations["adminUsersSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows an account by its ID */
        get: operations["adminUsersShow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/acls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replaces the ACLs of an account */
        put: operations["userMarksSetAcls"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the applications of an account */
        get: operations["adminApplicationsListOf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/ban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Bans an account temporarily or permanently */
        put: operations["userStateBan"];
        post?: never;
        /** Lifts the ban of an account */
        delete: operations["userStateUnban"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/deletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Schedules the deletion of an account */
        put: operations["userStateScheduleDeletion"];
        post?: never;
        /** Cancels the scheduled deletion of an account */
        delete: operations["userStateCancelDeletion"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Sets the email address of an account */
        patch: operations["userContactSetEmail"];
        trace?: never;
    };
    "/v1/admin/users/{user_id}/email-bounce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets whether email to an account bounces */
        put: operations["userContactSetBounce"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/email-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Marks the email address of an account as verified */
        put: operations["userContactVerifyEmail"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/flags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Adds and removes flags of an account */
        patch: operations["userMarksEditFlags"];
        trace?: never;
    };
    "/v1/admin/users/{user_id}/lockdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a lockdown, so that the account can sign in without a password reset */
        delete: operations["userMarksEndLockdown"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes the authenticator and the backup codes of an account */
        delete: operations["userFactorsDisableMfa"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/networks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the networks from which an account signs in without email confirmation */
        get: operations["userFactorsListNetworks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a password reset email to an account */
        post: operations["userContactMailReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/phone-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets whether an account has a verified phone number */
        put: operations["userMarksSetPhone"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the sessions of an account */
        get: operations["userFactorsListSessions"];
        put?: never;
        post?: never;
        /** Ends every session of an account */
        delete: operations["userStateEndSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/sso-identity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the single sign-on identities of an account */
        get: operations["userSsoShow"];
        /** Links an account to an identity at the identity provider */
        put: operations["userSsoLink"];
        post?: never;
        /** Unlinks an account from its identity at the identity provider */
        delete: operations["userSsoUnlink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/suspicious-activity-disablement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Disables an account for suspicious activity */
        put: operations["userStateDisable"];
        post?: never;
        /** Lifts the disablement of an account */
        delete: operations["userStateEnable"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/suspicious-activity-flags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replaces the suspicious-activity flags of an account */
        put: operations["userMarksSetSuspicion"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/traits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replaces the traits of an account */
        put: operations["userMarksSetTraits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/verification-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a verification email to an account */
        post: operations["userContactMailVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/webauthn-credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the passkeys of an account */
        get: operations["userFactorsListPasskeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/webauthn-credentials/{credential_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes a passkey of an account */
        delete: operations["userFactorsDeletePasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/@me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the account of the caller in the format of the Admin API */
        get: operations["adminUsersSelf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/applications/@me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the application of the calling bot */
        get: operations["applicationsDescribeBot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/authorize-ip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirms a sign-in with the token from the email */
        post: operations["ipAuthorizationAuthorize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email-revert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reverts a change of the email address with the token of an email */
        post: operations["recoveryRevertEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a password reset link if the account exists */
        post: operations["recoveryForgot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/handoff/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Cancels a handoff */
        delete: operations["handoffCancel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/handoff/{code}/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the device that requests approval */
        get: operations["handoffInspect"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/handoff/{code}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports whether a handoff is pending or expired */
        get: operations["handoffStatus"];
        put?: never;
        /** Returns the session of an approved handoff, once */
        post: operations["handoffCollect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/handoff/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approves the sign-in of another device */
        post: operations["handoffApprove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/handoff/initiate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a sign-in that another device approves */
        post: operations["handoffInitiate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/ip-authorization/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports whether a sign-in was confirmed and returns its session */
        get: operations["ipAuthorizationPoll"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/ip-authorization/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends the confirmation email of a sign-in again */
        post: operations["ipAuthorizationResend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/lockdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke all credentials of an account with the token of an emailed link */
        post: operations["lockdownByLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in with an email address and a password */
        post: operations["signInLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login/mfa/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Completes a sign-in with a TOTP code or a backup code */
        post: operations["signInCompleteWithCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login/mfa/webauthn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Completes a sign-in with a passkey */
        post: operations["webAuthnSignInCompleteMfa"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login/mfa/webauthn/authentication-options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns the WebAuthn options to complete a sign-in */
        post: operations["webAuthnSignInMfaOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the session of the caller */
        post: operations["sessionsLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkey-bridge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a passkey ceremony that another page completes */
        post: operations["bridgeStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkey-bridge/{ceremony_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels a passkey ceremony */
        post: operations["bridgeCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkey-bridge/{ceremony_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accepts the WebAuthn response of the page that runs the ceremony */
        post: operations["bridgeComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkey-bridge/{ceremony_id}/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns the WebAuthn options for the page that runs the ceremony */
        post: operations["bridgeOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkey-bridge/{ceremony_id}/redeem": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in with a completed passkey ceremony */
        post: operations["bridgeRedeem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Registers an account */
        post: operations["registrationRegister"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sets a new password with the token of a password reset */
        post: operations["recoveryReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reset/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports whether the token of a password reset is still valid */
        get: operations["recoveryValidateReset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the sessions of the caller */
        get: operations["sessionsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends some of the caller's sessions */
        post: operations["sessionsEnd"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sso/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in with the code from the identity provider */
        post: operations["ssoComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sso/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts single sign-on */
        post: operations["ssoStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sso/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports whether single sign-on is enabled and enforced */
        get: operations["ssoStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/username-suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Suggests usernames for a display name */
        post: operations["registrationSuggestUsernames"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verifies an email address with the token that was sent to it */
        post: operations["recoveryVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/verify/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends the verification email again */
        post: operations["recoveryResendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/webauthn/authenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in with a passkey */
        post: operations["webAuthnSignInAuthenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/webauthn/authentication-options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns the WebAuthn options to sign in without a password */
        post: operations["webAuthnSignInOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/captcha/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Create a signed proof-of-work challenge */
        get: operations["discoveryChallenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credentials/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke leaked credentials, regardless of their owner */
        post: operations["leakedCredentialsRevoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gateway/bot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the gateway URL for bots */
        get: operations["gatewayBot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/external": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a signed URL for external media */
        post: operations["externalSign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Plan uploads and get an upload URL for each file */
        post: operations["uploadsPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/uploads/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete uploads whose bytes have been stored */
        post: operations["uploadsComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/@me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the authorization of the access token */
        get: operations["grantsCurrent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/@me/authorizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the applications that the caller has authorized */
        get: operations["grantsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/@me/authorizations/{applicationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes the caller's authorization of an application */
        delete: operations["grantsRevoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/@me/authorizations/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revokes the caller's authorizations of several applications */
        post: operations["grantsRevokeMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates an application and its bot */
        post: operations["applicationsCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/applications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows an application of the caller */
        get: operations["applicationsDescribe"];
        put?: never;
        post?: never;
        /** Deletes an application with its bot and all its grants */
        delete: operations["applicationsDelete"];
        options?: never;
        head?: never;
        /** Changes an application */
        patch: operations["applicationsEdit"];
        trace?: never;
    };
    "/v1/oauth2/applications/{id}/bot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes the bot of an application */
        patch: operations["applicationsEditBot"];
        trace?: never;
    };
    "/v1/oauth2/applications/{id}/bot/reset-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replaces the token of a bot */
        post: operations["applicationsResetToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/applications/{id}/client-secret/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replaces the client secret of an application */
        post: operations["applicationsResetSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/applications/{id}/public": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the public data of an application */
        get: operations["applicationsDescribePublicly"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/applications/@me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the caller's applications */
        get: operations["applicationsListOrDescribe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Starts an authorization in the browser */
        get: operations["authorizeAuthorize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/authorize/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Grants or denies the authorization request of an application */
        post: operations["authorizeConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reports whether a token is active */
        post: operations["tokenIntrospect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/openid/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows claims about the user who granted the access token */
        get: operations["openIdUserInfo"];
        put?: never;
        /** Shows the same claims to clients that send POST */
        post: operations["openIdUserInfoByPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issues an access token for a code or a refresh token */
        post: operations["tokenIssue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/token/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revokes a token */
        post: operations["tokenRevoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the account that granted the access token */
        get: operations["grantsUserInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes the caller the first administrator of the instance */
        post: operations["setupRedeem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the caller's account */
        get: operations["meShow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the caller's profile, name or password */
        patch: operations["meEdit"];
        trace?: never;
    };
    "/v1/users/@me/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the caller's applications */
        get: operations["applicationsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/authorized-ips": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete the trusted networks from which sign-ins were confirmed */
        delete: operations["lifecycleForgetIps"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Schedule the deletion of the caller's account */
        post: operations["lifecycleScheduleDeletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Disable the caller's account until the next sign-in */
        post: operations["meDisable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/email-change/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the email address with the verified one */
        post: operations["emailChangeApply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/email-change/bounced/request-new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Email a code to the replacement of an email address that bounces */
        post: operations["emailChangeRequestReplacement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/email-change/bounced/resend-new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resend the code to the replacement email address */
        post: operations["emailChangeResendReplacement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/email-change/bounced/verify-new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify the replacement and change the email address that bounces */
        post: operations["emailChangeVerifyReplacement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/email-change/request-new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Email a code to the new email address */
        post: operations["emailChangeRequestNew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/email-change/resend-new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resend the code to the new email address */
        post: operations["emailChangeResendNew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/email-change/resend-original": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resend the code to the current email address */
        post: operations["emailChangeResendOriginal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/email-change/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start an email change */
        post: operations["emailChangeStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/email-change/verify-new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify the new email address with the emailed code */
        post: operations["emailChangeVerifyNew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/email-change/verify-original": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify the current email address with the emailed code */
        post: operations["emailChangeVerifyOriginal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Download all data that is stored about the caller's account */
        post: operations["ownExportMake"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/lockdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke the caller's sessions or, in sudo mode, all other credentials */
        post: operations["lockdownBySession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/mfa/backup-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Show the backup codes, or generate new ones */
        post: operations["backupCodesShow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/mfa/backup-codes/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Email a code that is required to show the backup codes */
        post: operations["backupCodesStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/mfa/backup-codes/challenge/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Generate new backup codes after the emailed code is verified */
        post: operations["backupCodesRegenerate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/mfa/backup-codes/challenge/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resend the code that is required to show the backup codes */
        post: operations["backupCodesResend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/mfa/backup-codes/challenge/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify the emailed code and show the backup codes */
        post: operations["backupCodesVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/mfa/totp/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove the authenticator app */
        post: operations["totpDisable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/mfa/totp/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set up an authenticator app */
        post: operations["totpEnable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/mfa/webauthn/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the caller's passkeys */
        get: operations["passkeysList"];
        put?: never;
        /** Stores a passkey */
        post: operations["passkeysRegister"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/mfa/webauthn/credentials/{credential_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes a passkey */
        delete: operations["passkeysRemove"];
        options?: never;
        head?: never;
        /** Renames a passkey */
        patch: operations["passkeysRename"];
        trace?: never;
    };
    "/v1/users/@me/mfa/webauthn/credentials/registration-options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns the WebAuthn options to create a passkey */
        post: operations["passkeysRegistrationOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/mfa/webauthn/two-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets whether a passkey is required after the password */
        put: operations["passkeysSetSecondFactor"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/passkey-bridge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a passkey ceremony for sudo mode that another page completes */
        post: operations["sudoBridgeStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/passkey-bridge/{ceremony_id}/redeem": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchanges a completed ceremony for a sudo proof */
        post: operations["sudoBridgeRedeem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/password-change/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set the new password and rotate the session token */
        post: operations["passwordChangeComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/password-change/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resend the code of a password change */
        post: operations["passwordChangeResend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/password-change/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a password change by emailing a code */
        post: operations["passwordChangeStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/password-change/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify the emailed code of a password change */
        post: operations["passwordChangeVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/phone/send-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a verification code to a phone number */
        post: operations["phoneSend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/phone/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify a phone number with the code that was sent to it */
        post: operations["phoneVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/security-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the security events of the caller's account, newest first */
        get: operations["securityEventsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the caller's settings */
        get: operations["settingsShow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the caller's settings */
        patch: operations["settingsEdit"];
        trace?: never;
    };
    "/v1/users/@me/sudo/mfa-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the methods that the caller can use for sudo mode */
        get: operations["sudoMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/sudo/webauthn/authentication-options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Returns the WebAuthn options for sudo mode */
        post: operations["sudoOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/terms-acceptance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept the current terms of service */
        post: operations["lifecycleAcceptTerms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the webhooks of the caller */
        get: operations["webhooksList"];
        put?: never;
        /** Create a webhook */
        post: operations["webhooksCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook of the caller */
        get: operations["webhooksShow"];
        put?: never;
        post?: never;
        /** Delete a webhook */
        delete: operations["webhooksDelete"];
        options?: never;
        head?: never;
        /** Change a webhook */
        patch: operations["webhooksEdit"];
        trace?: never;
    };
    "/v1/webhooks/{id}/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook by its token */
        get: operations["executionShow"];
        put?: never;
        /** Post a message */
        post: operations["executionExecute"];
        /** Delete a webhook by its token */
        delete: operations["executionDelete"];
        options?: never;
        head?: never;
        /** Change the name or avatar of a webhook by its token */
        patch: operations["executionEdit"];
        trace?: never;
    };
    "/v1/webhooks/{id}/{token}/github": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Post a message about a GitHub event */
        post: operations["callbacksGithub"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/{token}/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a message of a webhook */
        get: operations["executionShowMessage"];
        put?: never;
        post?: never;
        /** Delete a message of a webhook */
        delete: operations["executionDeleteMessage"];
        options?: never;
        head?: never;
        /** Edit a message of a webhook */
        patch: operations["executionEditMessage"];
        trace?: never;
    };
    "/v1/webhooks/{id}/{token}/slack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Post a message in Slack format */
        post: operations["callbacksSlack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the messages of a webhook, newest first */
        get: operations["webhooksHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/token/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rotate the token of a webhook */
        post: operations["webhooksRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Account data in an audit entry. */
        AccountSummary: {
            discriminator: string;
            global_name: string | null;
            id: string;
            username: string;
        };
        ActiveToken: {
            /** @constant */
            active: true;
            client_id: string;
            exp: number;
            iat: number;
            scope: string;
            sub: string;
            /** @enum {string} */
            token_type: "Bearer" | "refresh_token";
        };
        AdminApplicationView: {
            backchannel_logout_session_required: boolean;
            backchannel_logout_uri: string | null;
            bot_discriminator: string | null;
            bot_is_public: boolean;
            bot_require_code_grant: boolean;
            bot_token_created_at: string | null;
            bot_token_preview: string | null;
            bot_user_id: string | null;
            bot_username: string | null;
            client_secret_created_at: string | null;
            /** @enum {string} */
            client_type: "confidential" | "public";
            has_bot_token: boolean;
            has_client_secret: boolean;
            id: string;
            /** @enum {string} */
            id_token_signed_response_alg: "ES256" | "EdDSA" | "RS256";
            name: string;
            oauth2_redirect_uris: string[];
            owner_discriminator: string | null;
            owner_global_name: string | null;
            owner_user_id: string | null;
            owner_username: string | null;
            post_logout_redirect_uris: string[];
            version: number;
        };
        AdminSessionView: {
            approx_last_used_at: string | null;
            client_ip: string;
            client_os: string | null;
            client_platform: string | null;
            created_at: string | null;
            deleted_at: string | null;
            session_id_hash: string;
        };
        AdminUserView: {
            accent_color: number | null;
            acls: string[];
            authenticator_types: number[];
            avatar: string | null;
            banned: boolean;
            banner: string | null;
            bio: string | null;
            bot: boolean;
            created_at: string | null;
            deletion_public_reason: string | null;
            deletion_reason_code: number | null;
            discriminator: string;
            email: string | null;
            email_bounced: boolean;
            email_verified: boolean;
            flags: string;
            global_name: string | null;
            has_totp: boolean;
            has_verified_phone: boolean;
            id: string;
            last_active_at: string | null;
            last_active_ip: string | null;
            locale: string;
            pending_deletion_at: string | null;
            pronouns: string | null;
            sso_linked: boolean;
            suspicious_activity_flags: number;
            system: boolean;
            temp_banned_until: string | null;
            traits: string[];
            username: string;
        };
        ApplicationBotView: {
            authenticator_types: number[];
            avatar: string | null;
            banner: string | null;
            bio: string | null;
            discriminator: string;
            flags: number;
            id: string;
            mfa_enabled: boolean;
            token?: string;
            username: string;
        };
        ApplicationView: {
            backchannel_logout_session_required: boolean;
            backchannel_logout_uri: string | null;
            bot?: components["schemas"]["ApplicationBotView"];
            bot_public: boolean;
            bot_require_code_grant: boolean;
            client_secret?: string;
            /** @enum {string} */
            client_type: "confidential" | "public";
            id: string;
            /** @enum {string} */
            id_token_signed_response_alg: "ES256" | "EdDSA" | "RS256";
            name: string;
            post_logout_redirect_uris: string[];
            redirect_uris: string[];
        };
        ApplyEmailInput: {
            email_token: string;
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            /** Format: password */
            password?: string;
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        AssertionInput: {
            challenge: string;
            response: Record<string, never>;
        };
        AttachmentView: {
            content_type: string;
            filename: string;
            height?: number;
            id: string;
            size: number;
            url: string;
            width?: number;
        };
        AuditEntryView: {
            action: string;
            admin_user: components["schemas"]["AccountSummary"] | null;
            admin_user_id: string;
            api_key_id: string | null;
            audit_log_reason: string | null;
            client_ip: string | null;
            created_at: string;
            log_id: string;
            metadata: {
                [key: string]: string;
            };
            request_id: string;
            target_id: string;
            target_type: string;
            target_user: components["schemas"]["AccountSummary"] | null;
        };
        AuthorizationView: {
            application: {
                bot_public: boolean;
                description: string | null;
                icon: string | null;
                id: string;
                name: string;
            };
            authorized_at: string;
            scopes: string[];
        };
        AwaitsApproval: {
            /** @constant */
            registration_pending_approval: true;
            user_id: string;
        };
        BackupCodesInput: {
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            /** Format: password */
            password?: string;
            regenerate: boolean;
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        BackupCodeView: {
            code: string | null;
            consumed: boolean;
        };
        BanAddressInput: {
            duration_hours?: number;
            /**
             * Format: ip-network
             * @example 198.51.100.0/24
             */
            ip: string;
        };
        BanInput: {
            duration_hours: number;
            reason?: string | null;
        };
        /** @description The counts that led to an automatic ban (conventions.md 9.1). */
        BanSignals: {
            rejected_credentials: number;
            /** @description Score in the five-minute window of the ban. */
            score: number;
            /** @enum {string} */
            trigger: "rejected_credentials" | "score";
            /** @description Number of windows in the last hour that reached the score limit. */
            windows: number;
        };
        BotProfileView: {
            avatar: string | null;
            banner: string | null;
            bio: string | null;
            discriminator: string;
            flags: number;
            id: string;
            username: string;
        };
        BouncedEmailInput: {
            /** Format: email */
            new_email: string;
        };
        CancelHandoffInput: {
            poll_secret?: string;
        };
        CancelledCeremony: {
            /** @constant */
            status: "cancelled";
        };
        /** @enum {string} */
        CaptchaProvider: "altcha" | "hcaptcha" | "none" | "turnstile";
        CaptchaTestInput: {
            token: string;
            /** @enum {string} */
            type?: "altcha" | "hcaptcha" | "turnstile";
        };
        Challenge: {
            codeChallenge?: components["schemas"]["CodeChallenge"];
            parameters: components["schemas"]["ChallengeParameters"];
            signature?: string;
        };
        ChallengeParameters: {
            algorithm: string;
            cost: number;
            data?: {
                [key: string]: boolean | number | string | null;
            };
            expiresAt?: number;
            keyLength: number;
            keyPrefix: string;
            keySignature?: string;
            memoryCost?: number;
            nonce: string;
            parallelism?: number;
            salt: string;
        };
        /** @description The configuration and the number of administrator links that a new provider invalidated. */
        ChangedInstanceConfig: {
            app_public: {
                branding: {
                    product_name: string;
                };
                legal: {
                    privacy_url: string | null;
                    terms_url: string | null;
                };
                setup: {
                    configured: boolean;
                };
            };
            registration: {
                hide_existing_accounts: boolean;
                initial_suspicious_flags: number;
                /** @enum {string} */
                mode: "approval" | "closed" | "open";
            };
            sso: {
                allowed_domains: string[];
                authorization_url: string | null;
                auto_provision: boolean;
                client_id: string | null;
                client_secret_set: boolean;
                display_name: string | null;
                enabled: boolean;
                enforced: boolean;
                issuer: string | null;
                jwks_url: string | null;
                redirect_uri: string;
                scope: string;
                token_url: string | null;
                userinfo_url: string | null;
            };
            voided_admin_links?: number;
        };
        CodeChallenge: {
            audio?: string;
            image: string;
            length?: number;
        };
        Collected: {
            /**
             * @description What the sign-in ended: a disablement by the user or a scheduled deletion.
             * @enum {string}
             */
            reactivated?: "deletion" | "disabled";
            /** @constant */
            status: "completed";
            token: string;
            user: components["schemas"]["PartialUserView"];
            user_id: string;
        } | {
            /** @enum {string} */
            status: "expired" | "pending";
        };
        CollectHandoffInput: {
            poll_secret: string;
        };
        CompleteBridgeInput: {
            response: Record<string, never>;
        };
        CompleteHandoffInput: {
            code: string;
            /** @example 42 */
            confirmation?: string;
            /**
             * Format: int64
             * @example 1501314428688998182
             */
            user_id: string;
        };
        CompleteInput: {
            uploads: {
                upload_filename: string;
            }[];
        };
        CompletePasswordChangeInput: {
            /** Format: password */
            new_password: string;
            ticket: string;
            verification_proof: string;
        };
        CompleteSsoInput: {
            code: string;
            iss?: string;
            nonce?: string;
            state: string;
        };
        ConsentInput: {
            /**
             * Format: int64
             * @example 1501314428688998182
             */
            client_id: string;
            code_challenge?: string;
            code_challenge_method?: string;
            /** @enum {string} */
            decision?: "approve" | "deny";
            nonce?: string;
            redirect_uri?: string;
            /** @enum {string} */
            response_type?: "code";
            scope: string;
            state?: string;
        };
        CreateAdminKeyInput: {
            acls: string[];
            expires_in_days?: number;
            name: string;
        };
        CreateApplicationInput: {
            backchannel_logout_session_required?: boolean;
            /** Format: uri */
            backchannel_logout_uri?: string | null;
            bot_public?: boolean;
            bot_require_code_grant?: boolean;
            /** @enum {string} */
            client_type?: "confidential" | "public";
            /** @enum {string} */
            id_token_signed_response_alg?: "RS256" | "ES256" | "EdDSA";
            name: string;
            post_logout_redirect_uris?: string[] | null;
            redirect_uris?: string[] | null;
        };
        CreateWebhookInput: {
            /**
             * Format: int64
             * @example 1501314428688998182
             */
            application_id?: string;
            /** Format: byte */
            avatar?: string | null;
            name: string;
        };
        CurrentAuthorizationView: {
            application: {
                bot_public: boolean;
                bot_require_code_grant: boolean;
                description: string | null;
                icon: string | null;
                id: string;
                name: string;
            };
            expires: string;
            scopes: string[];
            user?: components["schemas"]["UserInfoView"];
        };
        CurrentBotApplicationView: {
            bot: components["schemas"]["BotProfileView"];
            bot_public: boolean;
            bot_require_code_grant: boolean;
            description: string | null;
            icon: string | null;
            id: string;
            name: string;
            owner: components["schemas"]["PartialUserView"];
            redirect_uris: string[];
        };
        DecideRegistrationInput: {
            /** @enum {string} */
            status: "approved" | "rejected";
        };
        DeletionInput: {
            days_until_deletion?: number;
            public_reason?: string | null;
            reason_code: number;
        };
        DeviceView: {
            at: string;
            client_info: {
                browser: string | null;
                device: string;
                os: string | null;
                platform: string | null;
            };
            masked_ip: string | null;
        };
        DisableTotpInput: {
            code: string;
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            /** Format: password */
            password?: string;
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        EditAdminKeyInput: {
            acls?: string[];
            name?: string;
        };
        EditApplicationInput: {
            backchannel_logout_session_required?: boolean;
            /** Format: uri */
            backchannel_logout_uri?: string | null;
            bot_public?: boolean;
            bot_require_code_grant?: boolean;
            /** @enum {string} */
            id_token_signed_response_alg?: "RS256" | "ES256" | "EdDSA";
            name?: string;
            post_logout_redirect_uris?: string[] | null;
            redirect_uris?: string[] | null;
        };
        EditBotInput: {
            /** Format: byte */
            avatar?: string | null;
            /** Format: byte */
            banner?: string | null;
            bio?: string | null;
            discriminator?: string;
            username?: string;
        };
        /** @description After a password change, it includes the new token of the calling session. */
        EditedUser: {
            accent_color: number | null;
            acls: string[];
            auth_session_id_hash?: string;
            authenticator_types?: number[];
            avatar: string | null;
            avatar_color: number | null;
            banner: string | null;
            bio: string | null;
            /** @constant */
            bot?: true;
            created_at: string;
            discriminator: string;
            email: string | null;
            /** @constant */
            email_bounced?: true;
            flags: number;
            global_name: string | null;
            has_verified_phone: boolean;
            id: string;
            locale: string;
            mfa_enabled: boolean;
            password_last_changed_at: string | null;
            phone: null;
            pronouns: string | null;
            required_actions: ("REQUIRE_REVERIFIED_EMAIL" | "REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE" | "REQUIRE_REVERIFIED_EMAIL_OR_VERIFIED_PHONE" | "REQUIRE_REVERIFIED_PHONE" | "REQUIRE_VERIFIED_EMAIL" | "REQUIRE_VERIFIED_EMAIL_OR_REVERIFIED_PHONE" | "REQUIRE_VERIFIED_EMAIL_OR_VERIFIED_PHONE" | "REQUIRE_VERIFIED_PHONE")[];
            /** @constant */
            system?: true;
            terms_agreed_at: string | null;
            token?: string;
            traits: string[];
            username: string;
            verified: boolean;
        };
        EditFlagsInput: {
            add_flags?: string[];
            remove_flags?: string[];
        };
        EditMeInput: {
            accent_color?: number | null;
            /** Format: byte */
            avatar?: string | null;
            /** Format: byte */
            banner?: string | null;
            bio?: string | null;
            discriminator?: string;
            email?: string;
            email_token?: string;
            global_name?: string | null;
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            /** Format: password */
            new_password?: string;
            /** Format: password */
            password?: string;
            pronouns?: string | null;
            username?: string;
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        EditSettingsInput: {
            custom?: {
                [key: string]: unknown;
            };
            developer_mode?: boolean;
            email_notifications?: boolean;
            /** @enum {string} */
            locale?: "en-US" | "en-GB" | "ar" | "de" | "es-ES" | "fr" | "it" | "ja" | "ko" | "nl" | "pl" | "pt-BR" | "sv-SE" | "tr" | "uk" | "zh-CN";
            session_ip_authorization?: boolean;
            /** @enum {string} */
            theme?: "system" | "light" | "dark";
        };
        EditWebhookInput: {
            /** Format: byte */
            avatar?: string | null;
            name?: string;
        };
        EmailBounceInput: {
            bounced: boolean;
        };
        EnableTotpInput: {
            code: string;
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            /** Format: password */
            password?: string;
            /** @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP */
            secret: string;
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        EndSessionsInput: {
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            /** Format: password */
            password?: string;
            session_id_hashes: string[];
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        EntryView: {
            created_at: string;
            created_by_user_id: string | null;
            expires_at: string | null;
            /** @enum {string} */
            kind: "permanent" | "temporary_24h";
            /** @enum {string} */
            reason: "automatic" | "platform_admin_enforcement";
            signals: components["schemas"]["BanSignals"] | null;
            value: string;
        };
        /** @enum {string} */
        ErrorCode: "ACCESS_DENIED" | "ACCOUNT_SUSPENDED_PERMANENTLY" | "ACCOUNT_SUSPENDED_TEMPORARILY" | "ACCOUNT_SUSPICIOUS_ACTIVITY" | "ADMIN_API_KEY_NOT_FOUND" | "BAD_GATEWAY" | "BAD_REQUEST" | "BOT_IS_PRIVATE" | "BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED" | "BOT_USER_AUTH_SESSION_CREATION_DENIED" | "BOT_USER_GENERATION_FAILED" | "BOT_USER_NOT_FOUND" | "CANNOT_SEND_EMPTY_MESSAGE" | "CAPTCHA_REQUIRED" | "CONFLICT" | "FEATURE_TEMPORARILY_DISABLED" | "FILE_SIZE_TOO_LARGE" | "FORBIDDEN" | "GATEWAY_TIMEOUT" | "GLOBAL_IP_BANNED" | "GLOBAL_IP_TEMPORARILY_BANNED" | "GONE" | "HANDOFF_CODE_EXPIRED" | "INTERNAL_SERVER_ERROR" | "INVALID_API_ORIGIN" | "INVALID_CAPTCHA" | "INVALID_CLIENT" | "INVALID_FORM_BODY" | "INVALID_GRANT" | "INVALID_HANDOFF_CODE" | "INVALID_PHONE_NUMBER" | "INVALID_PHONE_VERIFICATION_CODE" | "INVALID_REQUEST" | "INVALID_SCOPE" | "INVALID_TOKEN" | "INVALID_WEBAUTHN_CREDENTIAL" | "IP_AUTHORIZATION_REQUIRED" | "IP_AUTHORIZATION_RESEND_COOLDOWN" | "IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED" | "IP_BAN_DECLINED" | "JOB_NOT_RETRYABLE" | "MAX_ADMIN_API_KEYS" | "MAX_APPLICATIONS" | "MAX_WEBHOOKS" | "MEDIA_QUOTA_EXCEEDED" | "MFA_EMAIL_VERIFICATION_REQUIRED" | "MISSING_ACL" | "MISSING_OAUTH_SCOPE" | "MISSING_PERMISSIONS" | "NOT_A_BOT_APPLICATION" | "NOT_FOUND" | "NO_PASSKEYS_REGISTERED" | "PASSKEY_AUTHENTICATION_FAILED" | "PAYLOAD_TOO_LARGE" | "PHONE_ALREADY_USED" | "PHONE_RATE_LIMIT_EXCEEDED" | "PUBLIC_CLIENT_HAS_NO_SECRET" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "REGISTRATION_CLOSED" | "REGISTRATION_NOT_PENDING" | "REGISTRATION_PENDING_APPROVAL" | "REGISTRATION_REJECTED" | "SERVICE_UNAVAILABLE" | "SESSION_TOKEN_MISMATCH" | "SMS_VERIFICATION_UNAVAILABLE" | "SSO_REQUIRED" | "SUDO_MODE_REQUIRED" | "TRANSCODE_FAILED" | "TWO_FACTOR_REQUIRED" | "TWO_FA_ALREADY_ENABLED" | "TWO_FA_NOT_ENABLED" | "UNAUTHORIZED" | "UNCLAIMED_ACCOUNT_CANNOT_CREATE_APPLICATIONS" | "UNKNOWN_APPLICATION" | "UNKNOWN_JOB" | "UNKNOWN_MESSAGE" | "UNKNOWN_USER" | "UNKNOWN_WEBAUTHN_CREDENTIAL" | "UNKNOWN_WEBHOOK" | "UNSUPPORTED_GRANT_TYPE" | "UNSUPPORTED_MEDIA_TYPE" | "UPSTREAM_FETCH_FAILED" | "USERNAME_NOT_AVAILABLE" | "WEBAUTHN_CREDENTIAL_LIMIT_REACHED";
        EventView: {
            at: string;
            client: {
                location: null;
                masked_ip: string | null;
                os: string | null;
                platform: string | null;
            } | null;
            data: {
                [key: string]: unknown;
            };
            id: string;
            session_id_hash?: string;
            type: string;
            words?: components["schemas"]["LocalizedText"];
        };
        /** @description A guard of the route with its result. */
        ExplainedRow: {
            /** @description Codes that the guard can return. */
            codes: components["schemas"]["ErrorCode"][];
            judgement: components["schemas"]["Judgement"];
            /** @description The ID of the guard. */
            row: string;
        };
        ExplainInput: {
            acls?: string[];
            /** @enum {string} */
            credential?: "none" | "session" | "bot" | "bearer" | "admin-bearer" | "admin-key";
            key_acls?: string[];
            /** @enum {string} */
            method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
            /** @example /v1/users/@me */
            path: string;
            scopes?: string[];
            sso_enforced?: boolean;
            suspicious_activity_flags?: number;
        };
        ForgotInput: {
            /** Format: email */
            email: string;
        };
        GatewayEvents: {
            APPLICATION_AUTHORIZE: {
                authorized_at: string;
                scopes: string[];
                user_id: string;
            };
            APPLICATION_DEAUTHORIZE: {
                user_id: string;
            };
            AUTH_SESSION_CHANGE: {
                new_auth_session_id_hash: string;
                old_auth_session_id_hash: string;
            };
            READY: components["schemas"]["ReadyView"];
            REFUSED: {
                code: string;
                message: string;
                op: number;
                t?: string;
            };
            RESUMED: {
                [key: string]: unknown;
            };
            SESSIONS_REPLACE: components["schemas"]["ListedSessionView"][];
            USER_SETTINGS_UPDATE: components["schemas"]["SettingsView"];
            USER_UPDATE: components["schemas"]["PrivateUserView"];
            WEBAUTHN_CREDENTIALS_UPDATE: components["schemas"]["PasskeyView"][];
            WEBHOOK_MESSAGE_CREATE: components["schemas"]["MessageView"];
            WEBHOOK_MESSAGE_DELETE: {
                id: string;
                webhook_id: string;
            };
            WEBHOOK_MESSAGE_UPDATE: components["schemas"]["MessageView"];
            WEBHOOKS_UPDATE: {
                action: components["schemas"]["WebhookAction"];
                webhook_id: string;
            };
        };
        InactiveToken: {
            /** @constant */
            active: false;
        };
        InstanceConfigInput: {
            app_public?: Record<string, never>;
            registration?: Record<string, never>;
            sso?: Record<string, never>;
        };
        /**
         * @description `depends`: on the request, the IP address or stored data. `unreached`: an earlier guard rejects the call.
         * @enum {string}
         */
        Judgement: "depends" | "passes" | "refuses" | "unreached";
        KeyView: {
            acls: string[];
            created_at: string;
            created_by_user_id: string;
            expires_at: string | null;
            key_id: string;
            last_used_at: string | null;
            name: string;
        };
        LeakedCredentialsInput: {
            credentials: string[];
        };
        LinkSsoInput: {
            subject: string;
        };
        /** @description An entry of the session list of an account (contract/gateway.md section 11). */
        ListedSessionView: {
            /** @constant */
            afk: false;
            mobile: boolean;
            /** @description `all`, or the ID of a gateway session. */
            session_id: string;
            /** @constant */
            status: "online";
        };
        /** @description A short text for users, by language; English is required. */
        LocalizedText: {
            "en-US": string;
        } & {
            [key: string]: string;
        };
        LockdownInput: {
            include?: ("bot_tokens" | "grants" | "webhook_tokens" | "admin_keys" | "sessions")[];
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            /** Format: password */
            password?: string;
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        LockdownResult: {
            ended: components["schemas"]["RevokedCounts"];
            next: components["schemas"]["NextStep"][];
        };
        LockdownTokenInput: {
            token: string;
        };
        LoginInput: {
            /** Format: email */
            email: string;
            /** Format: password */
            password: string;
        };
        LoginTotpInput: {
            code: string;
            ticket: string;
        };
        LoginWebAuthnInput: {
            challenge: string;
            response: Record<string, never>;
            ticket: string;
        };
        MailedCodeInput: {
            code: string;
            ticket: string;
        };
        MailTicketInput: {
            ticket: string;
        };
        MessageView: {
            application_id: string | null;
            attachments: components["schemas"]["AttachmentView"][];
            author: {
                avatar: string | null;
                avatar_url: string | null;
                bot: boolean;
                discriminator: string;
                flags: number;
                id: string;
                username: string;
            };
            content: string;
            edited_timestamp: string | null;
            embeds: {
                [key: string]: unknown;
            }[];
            flags: number;
            id: string;
            nonce?: number | string;
            timestamp: string;
            type: number;
            webhook_id: string;
        };
        /** @description The MFA challenge in a response (auth.md section 3). */
        MfaChallenge: {
            allowed_methods: string[];
            backup_codes: boolean;
            /** @constant */
            mfa: true;
            ticket: string;
            totp: boolean;
            webauthn: boolean;
        };
        /**
         * @description What the account owner has to do next.
         * @enum {string}
         */
        NextStep: "change_password" | "check_email" | "reset_password" | "sign_in_sso";
        PartialUserView: {
            avatar: string | null;
            avatar_color: number | null;
            /** @constant */
            bot?: true;
            discriminator: string;
            flags: number;
            global_name: string | null;
            id: string;
            /** @constant */
            system?: true;
            username: string;
        };
        PasskeyView: {
            created_at: string;
            id: string;
            last_used_at: string | null;
            name: string;
        };
        PhoneCodeInput: {
            code: string;
            /** @example +491701234567 */
            phone: string;
        };
        PhoneInput: {
            /** @example +491701234567 */
            phone: string;
        };
        PhoneVerificationInput: {
            has_verified_phone: boolean;
        };
        PlanInput: {
            attachments: {
                content_type: string;
                file_size: number;
                filename: string;
                id: number;
            }[];
        };
        PrivateUserView: {
            accent_color: number | null;
            acls: string[];
            authenticator_types?: number[];
            avatar: string | null;
            avatar_color: number | null;
            banner: string | null;
            bio: string | null;
            /** @constant */
            bot?: true;
            created_at: string;
            discriminator: string;
            email: string | null;
            /** @constant */
            email_bounced?: true;
            flags: number;
            global_name: string | null;
            has_verified_phone: boolean;
            id: string;
            locale: string;
            mfa_enabled: boolean;
            password_last_changed_at: string | null;
            phone: null;
            pronouns: string | null;
            required_actions: ("REQUIRE_REVERIFIED_EMAIL" | "REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE" | "REQUIRE_REVERIFIED_EMAIL_OR_VERIFIED_PHONE" | "REQUIRE_REVERIFIED_PHONE" | "REQUIRE_VERIFIED_EMAIL" | "REQUIRE_VERIFIED_EMAIL_OR_REVERIFIED_PHONE" | "REQUIRE_VERIFIED_EMAIL_OR_VERIFIED_PHONE" | "REQUIRE_VERIFIED_PHONE")[];
            /** @constant */
            system?: true;
            terms_agreed_at: string | null;
            traits: string[];
            username: string;
            verified: boolean;
        };
        PublicApplicationView: {
            bot: components["schemas"]["BotProfileView"] | null;
            bot_public: boolean;
            current_user: components["schemas"]["PartialUserView"] | null;
            description: string | null;
            icon: string | null;
            id: string;
            name: string;
            redirect_uris: string[];
            scopes: string[];
        };
        /** @description A public key as the key set contains it (RFC 7517). */
        PublicKey: {
            /** @description JWK "alg" (Algorithm) Parameter */
            alg: string;
            /** @description JWK "crv" Parameter: Curve for EC keys or Subtype of Key Pair for OKP keys. */
            crv?: string;
            /** @description Private key material: Base64urlUInt for RSA (RFC 7518, Section 6.3.2.1), base64url-encoded octets for EC (Section 6.2.2.1) or OKP (RFC 8037, Section 2). */
            d?: string;
            /** @description RSA first factor CRT exponent, encoded as Base64urlUInt (RFC 7518, Section 6.3). */
            dp?: string;
            /** @description RSA second factor CRT exponent, encoded as Base64urlUInt (RFC 7518, Section 6.3). */
            dq?: string;
            /** @description RSA public exponent, encoded as Base64urlUInt (RFC 7518, Section 6.3). */
            e?: string;
            /** @description Web Crypto "ext" (Extractable) member; whether the key may be exported. */
            ext?: boolean;
            /** @description JWK "k" (Key Value): base64url-encoded key octets (RFC 7518, Section 6.4.1). */
            k?: string;
            /** @description JWK "key_ops" (Key Operations) Parameter (RFC 7517, Section 4.3). */
            key_ops?: string[];
            /** @description JWK "kid" (Key ID) Parameter */
            kid: string;
            /** @description JWK "kty" (Key Type) Parameter */
            kty?: ("AKP" | "EC" | "OKP" | "RSA" | "oct") | string;
            /** @description RSA modulus, encoded as Base64urlUInt (RFC 7518, Section 6.3). */
            n?: string;
            /** @description Additional RSA prime factors. */
            oth?: {
                /** @description Factor CRT exponent, encoded as Base64urlUInt (RFC 7518, Section 6.3). */
                d?: string;
                /** @description Prime factor, encoded as Base64urlUInt (RFC 7518, Section 6.3). */
                r?: string;
                /** @description Factor CRT coefficient, encoded as Base64urlUInt (RFC 7518, Section 6.3). */
                t?: string;
            }[];
            /** @description RSA first prime factor, encoded as Base64urlUInt (RFC 7518, Section 6.3). */
            p?: string;
            /** @description AKP JWK "priv" (Private Key): base64url-encoded private key; ML-DSA uses a 32-octet seed (RFC 9964, Sections 3-4) */
            priv?: string;
            /** @description AKP JWK "pub" (Public Key): base64url-encoded public key (RFC 9964, Section 3) */
            pub?: string;
            /** @description RSA second prime factor, encoded as Base64urlUInt (RFC 7518, Section 6.3). */
            q?: string;
            /** @description RSA first CRT coefficient, encoded as Base64urlUInt (RFC 7518, Section 6.3). */
            qi?: string;
            /**
             * @description JWK "use" (Public Key Use) Parameter
             * @constant
             */
            use: "sig";
            /** @description Base64url-encoded EC x-coordinate (RFC 7518, Section 6.2.1.2) or OKP public key (RFC 8037, Section 2). */
            x?: string;
            /** @description "x5c" (X.509 Certificate Chain): base64-encoded DER certificates (RFC 7517, Section 4.7; RFC 7515, Section 4.1.6). */
            x5c?: string[];
            /** @description "x5t" (X.509 Certificate SHA-1 Thumbprint): base64url-encoded digest of the DER certificate. */
            x5t?: string;
            /** @description "x5t#S256" (X.509 Certificate SHA-256 Thumbprint): base64url-encoded digest of the DER certificate. */
            "x5t#S256"?: string;
            /** @description JWK "x5u" (X.509 URL) Parameter: URL of a PEM-encoded certificate or certificate chain. */
            x5u?: string;
            /** @description Base64url-encoded EC y-coordinate (RFC 7518, Section 6.2.1.3). */
            y?: string;
        };
        /** @description Data of the first event of a session (contract/gateway.md 7.1). */
        ReadyView: {
            application?: {
                id: string;
            };
            auth_session_id_hash?: string;
            guilds: unknown[];
            private_channels: unknown[];
            resume_gateway_url: string;
            session_id: string;
            sessions: components["schemas"]["ListedSessionView"][];
            shard?: [
                number,
                number
            ];
            user: components["schemas"]["PrivateUserView"];
            user_settings?: components["schemas"]["SettingsView"];
            /** @constant */
            version: 1;
            webauthn_credentials?: components["schemas"]["PasskeyView"][];
        };
        RedeemBridgeInput: {
            completion_code: string;
            nonce: string;
        };
        RegenerateInput: {
            ticket: string;
            verification_proof: string;
        };
        Registered: components["schemas"]["AwaitsApproval"] | components["schemas"]["TokenResponse"] | {
            /** @constant */
            registration_pending_verification: true;
        };
        RegisterInput: {
            consent?: boolean;
            /** Format: email */
            email?: string;
            global_name?: string;
            /** Format: password */
            password?: string;
            /** @enum {string} */
            theme?: "system" | "light" | "dark";
            username?: string;
        };
        RegisterPasskeyInput: {
            challenge: string;
            name: string;
            response: Record<string, never>;
        };
        RegistrationOptionsInput: {
            /** @enum {string} */
            mediation?: "conditional";
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            /** Format: password */
            password?: string;
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        RenamePasskeyInput: {
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            name: string;
            /** Format: password */
            password?: string;
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        ReplicaView: {
            event_loop_delay_ms: number;
            gateway_sockets: number;
            refusals: {
                [key: string]: number;
            };
            requests: number;
            requests_per_second: number;
            seen_at: string;
            sign_ins: number;
            started_at: string;
            version: string;
            worker_id: number;
        };
        RequestNewEmailInput: {
            /** Format: email */
            new_email: string;
            original_proof: string;
            ticket: string;
        };
        ResetInput: {
            /** Format: password */
            password: string;
            token: string;
        };
        RevertEmailInput: {
            /** Format: password */
            password: string;
            token: string;
        };
        RevokeAuthorizationsInput: {
            application_ids: string[];
        };
        /** @description Number of revoked items of each kind. */
        RevokedCounts: {
            admin_keys: number;
            bot_tokens: number;
            grants: number;
            sessions: number;
            webhook_tokens: number;
        };
        RotatedSession: {
            auth_session_id_hash: string;
            token: string;
        };
        RouteView: {
            /** @enum {string} */
            body: "form" | "json" | "none" | "raw";
            body_limit: number | null;
            handler: string;
            method: string;
            path: string;
            policy: string;
        };
        SetAclsInput: {
            acls: string[];
        };
        SetEmailInput: {
            /** Format: email */
            email: string;
        };
        SettingsView: {
            custom: {
                [key: string]: unknown;
            };
            developer_mode: boolean;
            email_notifications: boolean;
            locale: string;
            session_ip_authorization: boolean;
            /** @enum {string} */
            theme: "dark" | "light" | "system";
        };
        SetTraitsInput: {
            traits: "captcha_exempt"[];
        };
        SetupInput: {
            token: string;
        };
        /** @description A URL of external media at this service. `expires_at` is `null` if the URL is valid as long as its secret. */
        SignedUrl: {
            expires_at: string | null;
            proxy_url: string;
        };
        SignInput: {
            expires_in?: number;
            /** Format: uri */
            url: string;
        };
        SsoCheck: {
            /** @description A text for users. It contains no secrets and no content from the provider. */
            detail: string;
            /** @enum {string} */
            name: "algorithms" | "discovery" | "endpoints" | "jwks";
            ok: boolean;
        };
        SsoTrialResult: {
            checks: components["schemas"]["SsoCheck"][];
            issuer: string | null;
            ok: boolean;
        };
        StartBridgeInput: {
            /** @example aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa */
            nonce_hash: string;
            /** @enum {string} */
            purpose: "login" | "login_mfa";
            /** @enum {string} */
            runner: "page" | "native";
            ticket?: string;
        };
        StartSsoInput: {
            nonce_hash?: string | null;
            redirect_to?: string | null;
            redirect_uri?: string | null;
        };
        StartSudoBridgeInput: {
            /** @example aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa */
            nonce_hash: string;
            /** @enum {string} */
            runner: "page" | "native";
        };
        SudoInput: {
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            /** Format: password */
            password?: string;
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        SuggestionsInput: {
            global_name: string;
        };
        SuspicionInput: {
            flags: number;
        };
        TicketInput: {
            ticket: string;
        };
        TokenInput: {
            token: string;
        };
        TokenResponse: {
            /**
             * @description What the sign-in ended: a disablement by the user or a scheduled deletion.
             * @enum {string}
             */
            reactivated?: "deletion" | "disabled";
            token: string;
            user: components["schemas"]["PartialUserView"];
            user_id: string;
        };
        TokenView: {
            application_id: string | null;
            avatar: string | null;
            id: string;
            name: string;
        };
        TransferInput: {
            /**
             * Format: int64
             * @example 1501314428688998182
             */
            new_owner_id: string;
        };
        TwoFactorInput: {
            enabled: boolean;
            mfa_code?: string;
            /** @enum {string} */
            mfa_method?: "totp" | "webauthn";
            /** Format: password */
            password?: string;
            webauthn_challenge?: string;
            webauthn_response?: Record<string, never>;
        };
        /** @description Claims about a user. Claims without a value are absent. Times are in seconds since 1970. */
        UserClaims: {
            /** @description Only while the email address is verified. */
            email?: string;
            email_verified?: boolean;
            locale?: string;
            name?: string;
            /** @description Absolute URL of the avatar. */
            picture?: string;
            /** @description Username and discriminator, because only both together are unique. */
            preferred_username?: string;
            sub: string;
            updated_at?: number;
        };
        UserInfoView: {
            avatar: string | null;
            avatar_color: number | null;
            bot: boolean;
            discriminator: string;
            email: string | null;
            flags: number;
            global_name: string | null;
            id: string;
            sub: string;
            system: boolean;
            username: string;
            verified?: boolean;
        };
        VerifyNewEmailInput: {
            code: string;
            original_proof: string;
            ticket: string;
        };
        /** @enum {string} */
        WebhookAction: "create" | "delete" | "rotate" | "update";
        WebhookView: {
            application_id: string | null;
            avatar: string | null;
            created_at: string;
            id: string;
            name: string;
            user: components["schemas"]["PartialUserView"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    pagesPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    siteFilesChangePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    jwksKeySet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: components["schemas"]["PublicKey"][];
                    };
                };
            };
        };
    };
    metadataDescribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        authorization_endpoint: string;
                        authorization_response_iss_parameter_supported: boolean;
                        code_challenge_methods_supported: string[];
                        grant_types_supported: string[];
                        introspection_endpoint: string;
                        introspection_endpoint_auth_methods_supported: string[];
                        issuer: string;
                        response_modes_supported: string[];
                        response_types_supported: string[];
                        revocation_endpoint: string;
                        revocation_endpoint_auth_methods_supported: string[];
                        scope_descriptions: {
                            [key: string]: components["schemas"]["LocalizedText"];
                        };
                        scopes_supported: string[];
                        token_endpoint: string;
                        token_endpoint_auth_methods_supported: string[];
                        userinfo_endpoint: string;
                    };
                };
            };
        };
    };
    openIdDescribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        authorization_endpoint: string;
                        authorization_response_iss_parameter_supported: boolean;
                        claim_types_supported: string[];
                        claims_parameter_supported: boolean;
                        claims_supported: string[];
                        code_challenge_methods_supported: string[];
                        grant_types_supported: string[];
                        id_token_signing_alg_values_supported: ("ES256" | "EdDSA" | "RS256")[];
                        introspection_endpoint: string;
                        introspection_endpoint_auth_methods_supported: string[];
                        issuer: string;
                        jwks_uri: string;
                        prompt_values_supported: string[];
                        request_parameter_supported: boolean;
                        request_uri_parameter_supported: boolean;
                        response_modes_supported: string[];
                        response_types_supported: string[];
                        revocation_endpoint: string;
                        revocation_endpoint_auth_methods_supported: string[];
                        scope_descriptions: {
                            [key: string]: components["schemas"]["LocalizedText"];
                        };
                        scopes_supported: string[];
                        subject_types_supported: string[];
                        token_endpoint: string;
                        token_endpoint_auth_methods_supported: string[];
                        userinfo_endpoint: string;
                    };
                };
            };
        };
    };
    siteFilesPasskeyEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        enroll: string;
                        manage: string;
                    };
                };
            };
        };
    };
    siteFilesSecurityContact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
        };
    };
    discoveryDescribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_version: string;
                        captcha: {
                            hcaptcha_site_key: string | null;
                            provider: components["schemas"]["CaptchaProvider"];
                            turnstile_site_key: string | null;
                        };
                        credential_patterns: {
                            admin_key: string;
                            bot: string;
                            oauth2_access: string;
                            oauth2_refresh: string;
                            session: string;
                            /** @constant */
                            webhook: "/v1/webhooks/(0|[1-9][0-9]{0,18})/[A-Za-z0-9]{64}";
                        };
                        endpoints: {
                            api: string;
                            gateway: string;
                            media: string;
                            oauth2_issuer: string;
                            webapp: string;
                        };
                        features: {
                            email: boolean;
                            passkey_bridge: boolean;
                            sms: boolean;
                            uploads: boolean;
                        };
                        legal: {
                            privacy_url: string | null;
                            terms_url: string | null;
                        };
                        limits: {
                            applications: number;
                            json_body_bytes: number;
                            passkeys: number;
                            upload_bytes: number;
                            webhook_content: number;
                            webhook_embeds: number;
                            webhook_files: number;
                            webhooks: number;
                        };
                        locales: string[];
                        product_name: string;
                        registration: {
                            /** @enum {string} */
                            mode: "approval" | "closed" | "open";
                        };
                        sso: {
                            display_name: string | null;
                            enabled: boolean;
                            enforced: boolean;
                            redirect_uri: string;
                        };
                    };
                };
            };
        };
    };
    siteFilesRelatedOrigins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        origins: string[];
                    };
                };
            };
        };
    };
    pagesPageAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    pagesPageAccountView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The rest of the path, with its slashes */
                view: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    consolePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    consolePageAdminView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The rest of the path, with its slashes */
                view: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    assetsFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The rest of the path, with its slashes */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/*": unknown;
                    "text/css": unknown;
                    "text/javascript": unknown;
                };
            };
        };
    };
    docsAsyncapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    pagesPageAuthAuthorizeIp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    pagesPageAuthEmailRevert: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    pagesPageAuthLockdown: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    pagesPageAuthPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    pagesPageAuthReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    pagesPageAuthSsoCallback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    pagesPageAuthVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    componentsComponents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    inboxPage: {
        parameters: {
            query?: {
                limit?: number;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    inboxClear: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    inboxList: {
        parameters: {
            query?: {
                limit?: number;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        messages: {
                            /** @enum {string} */
                            channel: "email" | "sms";
                            created_at: string;
                            html: string | null;
                            id: string;
                            metadata: {
                                [key: string]: unknown;
                            };
                            subject: string | null;
                            text: string;
                            to: string;
                            type: string;
                        }[];
                    };
                };
            };
        };
    };
    mailsPage: {
        parameters: {
            query?: {
                kind?: "email_verification" | "password_reset" | "ip_authorization" | "email_change_revert" | "security_digest" | "account_deletion_scheduled" | "registration_existing_account" | "registration_approved" | "registration_rejected" | "email_change_original" | "email_change_new" | "password_change" | "backup_codes_challenge" | "mail_test" | "security_notice.password_changed" | "security_notice.password_reset" | "security_notice.email_reverted" | "security_notice.email_changed" | "security_notice.totp_enabled" | "security_notice.totp_disabled" | "security_notice.passkey_added" | "security_notice.passkey_removed" | "security_notice.second_factor_enabled" | "security_notice.second_factor_disabled" | "security_notice.backup_codes_regenerated" | "security_notice.mfa_disabled" | "security_notice.account_suspended" | "security_notice.account_reinstated" | "security_notice.suspicious_activity" | "security_notice.sso_linked" | "security_notice.sso_taken_over" | "security_notice.session_handed_over" | "security_notice.locked_down" | "security_notice.credential_leaked" | "security_notice.data_exported" | "security_notice.account_deletion_scheduled" | "security_notice.deletion_canceled" | "security_notice.account_disabled" | "security_notice.account_reactivated" | "security_notice.suspicious_activity_ended" | "security_notice.sso_identity_set" | "security_notice.sso_identity_removed" | "security_notice.permissions_changed" | "phone_verification";
                language?: "en-US" | "de" | "fr" | "es-ES" | "pt-BR" | "ja" | "ar";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    mailsMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: "email_verification" | "password_reset" | "ip_authorization" | "email_change_revert" | "security_digest" | "account_deletion_scheduled" | "registration_existing_account" | "registration_approved" | "registration_rejected" | "email_change_original" | "email_change_new" | "password_change" | "backup_codes_challenge" | "mail_test" | "security_notice.password_changed" | "security_notice.password_reset" | "security_notice.email_reverted" | "security_notice.email_changed" | "security_notice.totp_enabled" | "security_notice.totp_disabled" | "security_notice.passkey_added" | "security_notice.passkey_removed" | "security_notice.second_factor_enabled" | "security_notice.second_factor_disabled" | "security_notice.backup_codes_regenerated" | "security_notice.mfa_disabled" | "security_notice.account_suspended" | "security_notice.account_reinstated" | "security_notice.suspicious_activity" | "security_notice.sso_linked" | "security_notice.sso_taken_over" | "security_notice.session_handed_over" | "security_notice.locked_down" | "security_notice.credential_leaked" | "security_notice.data_exported" | "security_notice.account_deletion_scheduled" | "security_notice.deletion_canceled" | "security_notice.account_disabled" | "security_notice.account_reactivated" | "security_notice.suspicious_activity_ended" | "security_notice.sso_identity_set" | "security_notice.sso_identity_removed" | "security_notice.permissions_changed" | "phone_verification";
                language: "en-US" | "de" | "fr" | "es-ES" | "pt-BR" | "ja" | "ar";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    docsPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    docsFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/css": unknown;
                    "text/javascript": unknown;
                };
            };
        };
    };
    siteFilesFavicon: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/x-icon": unknown;
                };
            };
        };
    };
    pagesPageForgot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    guidesStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    guidesFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The rest of the path, with its slashes */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "image/*": unknown;
                    "text/css": unknown;
                    "text/html": unknown;
                    "text/javascript": unknown;
                    "text/plain": unknown;
                };
            };
        };
    };
    pagesPageHandoff: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    healthLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
        };
    };
    healthReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
        };
    };
    pagesPageLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    mediaAttachment: {
        parameters: {
            query?: {
                /** @description All frames, not the first alone */
                animated?: "true" | "false" | "1" | "0";
                /** @description To be saved, not shown */
                download?: "true" | "false" | "1" | "0";
                /** @description Of the picture; that of the source if none is named */
                format?: "png" | "jpg" | "jpeg" | "webp" | "gif" | "avif";
                /** @description The most pixels from top to bottom */
                height?: number;
                /** @description How much of the picture is kept */
                quality?: "low" | "auto" | "high" | "lossless";
                /** @description The most pixels across */
                width?: number;
            };
            header?: never;
            path: {
                /** @description The rest of the path, with its slashes */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The part that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    mediaAvatar: {
        parameters: {
            query?: {
                /** @description All frames, not the first alone */
                animated?: "true" | "false" | "1" | "0";
                /** @description Of the picture */
                fmt?: "auto" | "png" | "jpg" | "jpeg" | "webp" | "gif" | "avif";
                /** @description How much of the picture is kept */
                quality?: "low" | "auto" | "high" | "lossless";
                /** @description Pixels of the longer edge, to the next step */
                size?: number;
            };
            header?: never;
            path: {
                file: string;
                owner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The part that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    mediaBanner: {
        parameters: {
            query?: {
                /** @description All frames, not the first alone */
                animated?: "true" | "false" | "1" | "0";
                /** @description Of the picture */
                fmt?: "auto" | "png" | "jpg" | "jpeg" | "webp" | "gif" | "avif";
                /** @description How much of the picture is kept */
                quality?: "low" | "auto" | "high" | "lossless";
                /** @description Pixels of the longer edge, to the next step */
                size?: number;
            };
            header?: never;
            path: {
                file: string;
                owner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The part that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    mediaUnsigned: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The rest of the path, with its slashes */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The part that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    mediaExternal: {
        parameters: {
            query?: {
                /** @description All frames, not the first alone */
                animated?: "true" | "false" | "1" | "0";
                /** @description To be saved, not shown */
                download?: "true" | "false" | "1" | "0";
                /** @description Of the picture; that of the source if none is named */
                format?: "png" | "jpg" | "jpeg" | "webp" | "gif" | "avif";
                /** @description The most pixels from top to bottom */
                height?: number;
                /** @description How much of the picture is kept */
                quality?: "low" | "auto" | "high" | "lossless";
                /** @description The most pixels across */
                width?: number;
            };
            header?: never;
            path: {
                /** @description The rest of the path, with its slashes */
                path: string;
                signature: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The part that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
        };
    };
    mediaRelay: {
        parameters: {
            query: {
                /** @description The capability of the planned upload */
                t: string;
            };
            header?: never;
            path: {
                /** @description The rest of the path, with its slashes */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The bytes are stored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    healthPrometheus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
        };
    };
    consentPagePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    docsOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    pagesPagePasskeyBridge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    pagesPageRegister: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    siteFilesRobots: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
        };
    };
    aclsList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        acls: string[];
                        audit_actions: {
                            [key: string]: string;
                        };
                        operations: {
                            acls: string[];
                            method: string;
                            /** @enum {string} */
                            mode: "all" | "any";
                            path: string;
                        }[];
                        words?: {
                            [key: string]: components["schemas"]["LocalizedText"];
                        };
                    };
                };
            };
        };
    };
    adminKeysList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyView"][];
                };
            };
        };
    };
    adminKeysCreate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAdminKeyInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        acls: string[];
                        created_at: string;
                        expires_at: string | null;
                        key: string;
                        key_id: string;
                        name: string;
                    };
                };
            };
        };
    };
    adminKeysShow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyView"];
                };
            };
        };
    };
    adminKeysRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
        };
    };
    adminKeysEdit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditAdminKeyInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyView"];
                };
            };
        };
    };
    adminApplicationsList: {
        parameters: {
            query: {
                owner_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        applications: components["schemas"]["AdminApplicationView"][];
                    };
                };
            };
        };
    };
    adminApplicationsShow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                application_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        application: components["schemas"]["AdminApplicationView"] | null;
                    };
                };
            };
        };
    };
    adminApplicationsTransfer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                application_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        application: components["schemas"]["AdminApplicationView"] | null;
                    };
                };
            };
        };
    };
    auditList: {
        parameters: {
            query?: {
                action?: string;
                admin_user_id?: string;
                before?: string;
                from?: string;
                ip?: string;
                limit?: number;
                offset?: number;
                request_id?: string;
                target_id?: string;
                target_type?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        chain: {
                            broken_at: number | null;
                            entries: number | null;
                            /** @enum {string} */
                            state: "broken" | "intact" | "unverified";
                            verified_at: string | null;
                        };
                        logs: components["schemas"]["AuditEntryView"][];
                        total: number;
                    };
                };
            };
        };
    };
    auditShow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryView"];
                };
            };
        };
    };
    ipBansList: {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        has_more: boolean;
                        items: components["schemas"]["EntryView"][];
                        next_after: string | null;
                    };
                };
            };
        };
    };
    ipBansBan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BanAddressInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ipBansCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                value: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        banned: boolean;
                        entry: components["schemas"]["EntryView"] | null;
                    };
                };
            };
        };
    };
    ipBansLift: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                value: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    explainExplain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExplainInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        answer: {
                            admitted: boolean;
                            code: ("ACCESS_DENIED" | "ACCOUNT_SUSPENDED_PERMANENTLY" | "ACCOUNT_SUSPENDED_TEMPORARILY" | "ACCOUNT_SUSPICIOUS_ACTIVITY" | "ADMIN_API_KEY_NOT_FOUND" | "BAD_GATEWAY" | "BAD_REQUEST" | "BOT_IS_PRIVATE" | "BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED" | "BOT_USER_AUTH_SESSION_CREATION_DENIED" | "BOT_USER_GENERATION_FAILED" | "BOT_USER_NOT_FOUND" | "CANNOT_SEND_EMPTY_MESSAGE" | "CAPTCHA_REQUIRED" | "CONFLICT" | "FEATURE_TEMPORARILY_DISABLED" | "FILE_SIZE_TOO_LARGE" | "FORBIDDEN" | "GATEWAY_TIMEOUT" | "GLOBAL_IP_BANNED" | "GLOBAL_IP_TEMPORARILY_BANNED" | "GONE" | "HANDOFF_CODE_EXPIRED" | "INTERNAL_SERVER_ERROR" | "INVALID_API_ORIGIN" | "INVALID_CAPTCHA" | "INVALID_CLIENT" | "INVALID_FORM_BODY" | "INVALID_GRANT" | "INVALID_HANDOFF_CODE" | "INVALID_PHONE_NUMBER" | "INVALID_PHONE_VERIFICATION_CODE" | "INVALID_REQUEST" | "INVALID_SCOPE" | "INVALID_TOKEN" | "INVALID_WEBAUTHN_CREDENTIAL" | "IP_AUTHORIZATION_REQUIRED" | "IP_AUTHORIZATION_RESEND_COOLDOWN" | "IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED" | "IP_BAN_DECLINED" | "JOB_NOT_RETRYABLE" | "MAX_ADMIN_API_KEYS" | "MAX_APPLICATIONS" | "MAX_WEBHOOKS" | "MEDIA_QUOTA_EXCEEDED" | "MFA_EMAIL_VERIFICATION_REQUIRED" | "MISSING_ACL" | "MISSING_OAUTH_SCOPE" | "MISSING_PERMISSIONS" | "NOT_A_BOT_APPLICATION" | "NOT_FOUND" | "NO_PASSKEYS_REGISTERED" | "PASSKEY_AUTHENTICATION_FAILED" | "PAYLOAD_TOO_LARGE" | "PHONE_ALREADY_USED" | "PHONE_RATE_LIMIT_EXCEEDED" | "PUBLIC_CLIENT_HAS_NO_SECRET" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "REGISTRATION_CLOSED" | "REGISTRATION_NOT_PENDING" | "REGISTRATION_PENDING_APPROVAL" | "REGISTRATION_REJECTED" | "SERVICE_UNAVAILABLE" | "SESSION_TOKEN_MISMATCH" | "SMS_VERIFICATION_UNAVAILABLE" | "SSO_REQUIRED" | "SUDO_MODE_REQUIRED" | "TRANSCODE_FAILED" | "TWO_FACTOR_REQUIRED" | "TWO_FA_ALREADY_ENABLED" | "TWO_FA_NOT_ENABLED" | "UNAUTHORIZED" | "UNCLAIMED_ACCOUNT_CANNOT_CREATE_APPLICATIONS" | "UNKNOWN_APPLICATION" | "UNKNOWN_JOB" | "UNKNOWN_MESSAGE" | "UNKNOWN_USER" | "UNKNOWN_WEBAUTHN_CREDENTIAL" | "UNKNOWN_WEBHOOK" | "UNSUPPORTED_GRANT_TYPE" | "UNSUPPORTED_MEDIA_TYPE" | "UPSTREAM_FETCH_FAILED" | "USERNAME_NOT_AVAILABLE" | "WEBAUTHN_CREDENTIAL_LIMIT_REACHED") | null;
                            message: string | null;
                            status: number;
                        };
                        decides: string | null;
                        route: components["schemas"]["RouteView"] | null;
                        rows: components["schemas"]["ExplainedRow"][];
                    };
                };
            };
        };
    };
    instanceTryOutCaptcha: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaptchaTestInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ok: boolean;
                    };
                };
            };
        };
    };
    instanceShow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        app_public: {
                            branding: {
                                product_name: string;
                            };
                            legal: {
                                privacy_url: string | null;
                                terms_url: string | null;
                            };
                            setup: {
                                configured: boolean;
                            };
                        };
                        registration: {
                            hide_existing_accounts: boolean;
                            initial_suspicious_flags: number;
                            /** @enum {string} */
                            mode: "approval" | "closed" | "open";
                        };
                        sso: {
                            allowed_domains: string[];
                            authorization_url: string | null;
                            auto_provision: boolean;
                            client_id: string | null;
                            client_secret_set: boolean;
                            display_name: string | null;
                            enabled: boolean;
                            enforced: boolean;
                            issuer: string | null;
                            jwks_url: string | null;
                            redirect_uri: string;
                            scope: string;
                            token_url: string | null;
                            userinfo_url: string | null;
                        };
                    };
                };
            };
        };
    };
    instanceChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InstanceConfigInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedInstanceConfig"];
                };
            };
        };
    };
    instanceTryOutMail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        detail: string | null;
                        ok: boolean;
                    };
                };
            };
        };
    };
    instanceList: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        pending_registrations: {
                            client_ip: string | null;
                            discriminator: string;
                            email: string | null;
                            global_name: string | null;
                            requested_at: string;
                            user_id: string;
                            username: string;
                        }[];
                        total: number;
                    };
                };
            };
        };
    };
    instanceDecide: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecideRegistrationInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    instanceTryOutSso: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SsoTrialResult"];
                };
            };
        };
    };
    instanceShowStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        mail_waiting: number;
                        replicas: components["schemas"]["ReplicaView"][];
                        total: {
                            event_loop_delay_ms: number;
                            gateway_sockets: number;
                            refusals: {
                                [key: string]: number;
                            };
                            replicas: number;
                            requests: number;
                            requests_per_second: number;
                            sign_ins: number;
                        };
                    };
                };
            };
        };
    };
    jobsShow: {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                state?: "failed" | "waiting";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        has_more: boolean;
                        jobs: {
                            at: string;
                            attempts: number;
                            created_at: string;
                            error: string | null;
                            id: string;
                            is_declared: boolean;
                            name: string;
                            /** @enum {string} */
                            state: "active" | "failed" | "waiting";
                        }[];
                        next_after: string | null;
                        queues: {
                            active: number;
                            due_at: string | null;
                            failed: number;
                            is_declared: boolean;
                            name: string;
                            waiting: number;
                        }[];
                    };
                };
            };
        };
    };
    jobsRetry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    adminUsersSearch: {
        parameters: {
            query?: {
                email?: string;
                last_active_ip?: string;
                limit?: number;
                offset?: number;
                phone?: string;
                resolve?: string;
                session_id_hash?: string;
                user_id?: string[];
                username?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        total: number;
                        users: components["schemas"]["AdminUserView"][];
                    };
                };
            };
        };
    };
    adminUsersShow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        users: components["schemas"]["AdminUserView"][];
                    };
                };
            };
        };
    };
    userMarksSetAcls: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetAclsInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    adminApplicationsListOf: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        applications: components["schemas"]["AdminApplicationView"][];
                    };
                };
            };
        };
    };
    userStateBan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BanInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userStateUnban: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userStateScheduleDeletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeletionInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userStateCancelDeletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userContactSetEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetEmailInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userContactSetBounce: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailBounceInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userContactVerifyEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userMarksEditFlags: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditFlagsInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userMarksEndLockdown: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    userFactorsDisableMfa: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    userFactorsListNetworks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        networks: {
                            created_at: string;
                            network: string;
                        }[];
                    };
                };
            };
        };
    };
    userContactMailReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    userMarksSetPhone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PhoneVerificationInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userFactorsListSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["AdminSessionView"][];
                    };
                };
            };
        };
    };
    userStateEndSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    userSsoShow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        identities: {
                            issuer: string;
                            subject: string;
                        }[];
                    };
                };
            };
        };
    };
    userSsoLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkSsoInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userSsoUnlink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userStateDisable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuspicionInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userStateEnable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userMarksSetSuspicion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuspicionInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userMarksSetTraits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetTraitsInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    userContactMailVerification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    userFactorsListPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyView"][];
                };
            };
        };
    };
    userFactorsDeletePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                credential_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    adminUsersSelf: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["AdminUserView"];
                    };
                };
            };
        };
    };
    applicationsDescribeBot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentBotApplicationView"];
                };
            };
        };
    };
    ipAuthorizationAuthorize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    recoveryRevertEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevertEmailInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
        };
    };
    recoveryForgot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgotInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    handoffCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelHandoffInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    handoffInspect: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        client_info: null;
                        created_at: null;
                        masked_ip: null;
                        /** @constant */
                        status: "expired";
                    } | {
                        client_info: {
                            browser: string | null;
                            device: string;
                            os: string | null;
                            platform: string | null;
                        };
                        created_at: string;
                        masked_ip: string | null;
                        /** @constant */
                        status: "pending";
                    };
                };
            };
        };
    };
    handoffStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "expired";
                    } | {
                        /** @constant */
                        status: "pending";
                    };
                };
            };
        };
    };
    handoffCollect: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CollectHandoffInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collected"];
                };
            };
        };
    };
    handoffApprove: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteHandoffInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    handoffInitiate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        code: string;
                        confirmation: string;
                        expires_at: string;
                        poll_secret: string;
                    };
                };
            };
        };
    };
    ipAuthorizationPoll: {
        parameters: {
            query: {
                ticket: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        completed: false;
                    } | {
                        /** @constant */
                        completed: true;
                        /**
                         * @description What the sign-in ended: a disablement by the user or a scheduled deletion.
                         * @enum {string}
                         */
                        reactivated?: "deletion" | "disabled";
                        token: string;
                        user: components["schemas"]["PartialUserView"];
                        user_id: string;
                    };
                };
            };
        };
    };
    ipAuthorizationResend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TicketInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    lockdownByLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LockdownTokenInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LockdownResult"];
                };
            };
        };
    };
    signInLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MfaChallenge"] | components["schemas"]["TokenResponse"];
                };
            };
        };
    };
    signInCompleteWithCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginTotpInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
        };
    };
    webAuthnSignInCompleteMfa: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginWebAuthnInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
        };
    };
    webAuthnSignInMfaOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TicketInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        allowCredentials: {
                            id: string;
                            transports?: string[];
                            /** @constant */
                            type: "public-key";
                        }[];
                        challenge: string;
                        rpId: string;
                        timeout: number;
                        /** @constant */
                        userVerification: "discouraged";
                    };
                };
            };
        };
    };
    sessionsLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    bridgeStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartBridgeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        bridge_url: string | null;
                        ceremony_id: string;
                    };
                };
            };
        };
    };
    bridgeCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ceremony_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        completion_code: string;
                        return_url: null;
                    } | {
                        completion_code: null;
                        return_url: string;
                    };
                };
            };
        };
    };
    bridgeComplete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ceremony_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteBridgeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        completion_code: string;
                        return_url: null;
                    } | {
                        completion_code: null;
                        return_url: string;
                    };
                };
            };
        };
    };
    bridgeOptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ceremony_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        options: {
                            allowCredentials: {
                                id: string;
                                transports?: string[];
                                /** @constant */
                                type: "public-key";
                            }[];
                            challenge: string;
                            rpId: string;
                            timeout: number;
                            /** @constant */
                            userVerification: "discouraged";
                        };
                        requested_by: components["schemas"]["DeviceView"] | null;
                    } | {
                        options: {
                            challenge: string;
                            rpId: string;
                            timeout: number;
                            /** @constant */
                            userVerification: "required";
                        };
                        requested_by: components["schemas"]["DeviceView"] | null;
                    };
                };
            };
        };
    };
    bridgeRedeem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ceremony_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeemBridgeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledCeremony"] | {
                        /**
                         * @description What the sign-in ended: a disablement by the user or a scheduled deletion.
                         * @enum {string}
                         */
                        reactivated?: "deletion" | "disabled";
                        /** @constant */
                        status: "completed";
                        token: string;
                        user: components["schemas"]["PartialUserView"];
                        user_id: string;
                    };
                };
            };
        };
    };
    registrationRegister: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RegisterInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Registered"];
                };
            };
        };
    };
    recoveryReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MfaChallenge"] | components["schemas"]["TokenResponse"];
                };
            };
        };
    };
    recoveryValidateReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        valid: boolean;
                    };
                };
            };
        };
    };
    sessionsList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        approx_last_used_at: string;
                        client_info: {
                            browser: string | null;
                            device: string;
                            os: string | null;
                            platform: string | null;
                        };
                        created_at: string;
                        current: boolean;
                        id_hash: string;
                        masked_ip: string | null;
                    }[];
                };
            };
        };
    };
    sessionsEnd: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndSessionsInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ssoComplete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteSsoInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description What the sign-in ended: a disablement by the user or a scheduled deletion.
                         * @enum {string}
                         */
                        reactivated?: "deletion" | "disabled";
                        redirect_to: string;
                        token: string;
                        user: components["schemas"]["PartialUserView"];
                        user_id: string;
                    };
                };
            };
        };
    };
    ssoStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StartSsoInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        authorization_url: string;
                        redirect_uri: string;
                        state: string;
                    };
                };
            };
        };
    };
    ssoStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        display_name: string | null;
                        enabled: boolean;
                        enforced: boolean;
                        redirect_uri: string;
                    };
                };
            };
        };
    };
    registrationSuggestUsernames: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuggestionsInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        suggestions: string[];
                    };
                };
            };
        };
    };
    recoveryVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    recoveryResendVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    webAuthnSignInAuthenticate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AssertionInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
        };
    };
    webAuthnSignInOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        challenge: string;
                        rpId: string;
                        timeout: number;
                        /** @constant */
                        userVerification: "required";
                    };
                };
            };
        };
    };
    discoveryChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Challenge"];
                };
            };
        };
    };
    leakedCredentialsRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeakedCredentialsInput"];
            };
        };
        responses: {
            /** @description The answer */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    gatewayBot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session_start_limit: {
                            max_concurrency: number;
                            remaining: number;
                            reset_after: number;
                            total: number;
                        };
                        shards: number;
                        url: string;
                    };
                };
            };
        };
    };
    externalSign: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedUrl"];
                };
            };
        };
    };
    uploadsPlan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attachments: {
                            content_type: string;
                            expires_at: string;
                            file_size: number;
                            filename: string;
                            id: number;
                            upload_filename: string;
                            upload_mode: string;
                            upload_url: string;
                        }[];
                    };
                };
            };
        };
    };
    uploadsComplete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        uploads: {
                            content_type: string;
                            filename: string;
                            height?: number;
                            id: string;
                            size: number;
                            upload_filename: string;
                            url: string;
                            width?: number;
                        }[];
                    };
                };
            };
        };
    };
    grantsCurrent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentAuthorizationView"];
                };
            };
        };
    };
    grantsList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizationView"][];
                };
            };
        };
    };
    grantsRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    grantsRevokeMany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeAuthorizationsInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    applicationsCreate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApplicationInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationView"];
                };
            };
        };
    };
    applicationsDescribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationView"];
                };
            };
        };
    };
    applicationsDelete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    applicationsEdit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditApplicationInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationView"];
                };
            };
        };
    };
    applicationsEditBot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditBotInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotProfileView"];
                };
            };
        };
    };
    applicationsResetToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        bot: components["schemas"]["ApplicationBotView"];
                        token: string;
                    };
                };
            };
        };
    };
    applicationsResetSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationView"];
                };
            };
        };
    };
    applicationsDescribePublicly: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicApplicationView"];
                };
            };
        };
    };
    applicationsListOrDescribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentBotApplicationView"] | components["schemas"]["ApplicationView"][];
                };
            };
        };
    };
    authorizeAuthorize: {
        parameters: {
            query: {
                client_id: string;
                code_challenge?: string;
                code_challenge_method?: string;
                nonce?: string;
                prompt?: "consent" | "none";
                redirect_uri?: string;
                response_type?: "code";
                scope: string;
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    authorizeConsent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsentInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        redirect_to: string;
                    };
                };
            };
        };
    };
    tokenIntrospect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    client_id?: string;
                    client_secret?: string;
                    token: string;
                    token_type_hint?: string;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActiveToken"] | components["schemas"]["InactiveToken"];
                };
            };
        };
    };
    openIdUserInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserClaims"];
                };
            };
        };
    };
    openIdUserInfoByPost: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserClaims"];
                };
            };
        };
    };
    tokenIssue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    client_id?: string;
                    client_secret?: string;
                    code?: string;
                    code_verifier?: string;
                    /** @enum {string} */
                    grant_type: "authorization_code" | "refresh_token";
                    redirect_uri?: string;
                    refresh_token?: string;
                    scope?: string;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access_token: string;
                        expires_in: number;
                        id_token?: string;
                        refresh_token: string;
                        scope: string;
                        token_type: string;
                    };
                };
            };
        };
    };
    tokenRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    client_id?: string;
                    client_secret?: string;
                    token: string;
                    token_type_hint?: string;
                };
            };
        };
        responses: {
            /** @description Done; no body */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    grantsUserInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserInfoView"];
                };
            };
        };
    };
    setupRedeem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetupInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["PrivateUserView"];
                    };
                };
            };
        };
    };
    meShow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrivateUserView"];
                };
            };
        };
    };
    meEdit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditMeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditedUser"];
                };
            };
        };
    };
    applicationsList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationView"][];
                };
            };
        };
    };
    lifecycleForgetIps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    lifecycleScheduleDeletion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    meDisable: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    emailChangeApply: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplyEmailInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrivateUserView"];
                };
            };
        };
    };
    emailChangeRequestReplacement: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BouncedEmailInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        new_code_expires_at: string;
                        new_email: string;
                        resend_available_at: string;
                        ticket: string;
                    };
                };
            };
        };
    };
    emailChangeResendReplacement: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MailTicketInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    emailChangeVerifyReplacement: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MailedCodeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrivateUserView"];
                };
            };
        };
    };
    emailChangeRequestNew: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestNewEmailInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        new_code_expires_at: string;
                        new_email: string;
                        resend_available_at: string;
                        ticket: string;
                    };
                };
            };
        };
    };
    emailChangeResendNew: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MailTicketInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    emailChangeResendOriginal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MailTicketInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    emailChangeStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        original_code_expires_at: string | null;
                        original_email: string | null;
                        original_proof: string | null;
                        require_original: boolean;
                        resend_available_at: string | null;
                        ticket: string;
                    };
                };
            };
        };
    };
    emailChangeVerifyNew: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyNewEmailInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        email_token: string;
                    };
                };
            };
        };
    };
    emailChangeVerifyOriginal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MailedCodeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        original_proof: string;
                    };
                };
            };
        };
    };
    ownExportMake: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    lockdownBySession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LockdownInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LockdownResult"];
                };
            };
        };
    };
    backupCodesShow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackupCodesInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backup_codes: components["schemas"]["BackupCodeView"][];
                    };
                };
            };
        };
    };
    backupCodesStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        code_expires_at: string;
                        resend_available_at: string;
                        ticket: string;
                    };
                };
            };
        };
    };
    backupCodesRegenerate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegenerateInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backup_codes: components["schemas"]["BackupCodeView"][];
                    };
                };
            };
        };
    };
    backupCodesResend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MailTicketInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    backupCodesVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MailedCodeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backup_codes: components["schemas"]["BackupCodeView"][];
                        verification_proof: string;
                    };
                };
            };
        };
    };
    totpDisable: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisableTotpInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    totpEnable: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnableTotpInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backup_codes: components["schemas"]["BackupCodeView"][];
                    };
                };
            };
        };
    };
    passkeysList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyView"][];
                };
            };
        };
    };
    passkeysRegister: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterPasskeyInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    passkeysRemove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                credential_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    passkeysRename: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                credential_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenamePasskeyInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    passkeysRegistrationOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RegistrationOptionsInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attestation: string;
                        authenticatorSelection: {
                            requireResidentKey: boolean;
                            residentKey: string;
                            userVerification: string;
                        };
                        challenge: string;
                        excludeCredentials: {
                            id: string;
                            transports?: string[];
                            /** @constant */
                            type: "public-key";
                        }[];
                        extensions: {
                            credProps: boolean;
                        };
                        hints: unknown[];
                        pubKeyCredParams: {
                            alg: number;
                            type: string;
                        }[];
                        rp: {
                            id: string;
                            name: string;
                        };
                        timeout: number;
                        user: {
                            displayName: string;
                            id: string;
                            name: string;
                        };
                    };
                };
            };
        };
    };
    passkeysSetSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TwoFactorInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backup_codes: components["schemas"]["BackupCodeView"][] | null;
                        user: components["schemas"]["PrivateUserView"];
                    };
                };
            };
        };
    };
    sudoBridgeStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartSudoBridgeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        bridge_url: string | null;
                        ceremony_id: string;
                    };
                };
            };
        };
    };
    sudoBridgeRedeem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ceremony_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeemBridgeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledCeremony"] | {
                        /** @constant */
                        status: "completed";
                        sudo_token: string;
                    };
                };
            };
        };
    };
    passwordChangeComplete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompletePasswordChangeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSession"];
                };
            };
        };
    };
    passwordChangeResend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MailTicketInput"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    passwordChangeStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        code_expires_at: string;
                        resend_available_at: string;
                        ticket: string;
                    };
                };
            };
        };
    };
    passwordChangeVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MailedCodeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        verification_proof: string;
                    };
                };
            };
        };
    };
    phoneSend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PhoneInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        channel: string;
                    };
                };
            };
        };
    };
    phoneVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PhoneCodeInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        verified: boolean;
                    };
                };
            };
        };
    };
    securityEventsList: {
        parameters: {
            query?: {
                before?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventView"][];
                };
            };
        };
    };
    settingsShow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsView"];
                };
            };
        };
    };
    settingsEdit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditSettingsInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsView"];
                };
            };
        };
    };
    sudoMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        backup_codes: boolean;
                        has_mfa: boolean;
                        totp: boolean;
                        webauthn: boolean;
                    };
                };
            };
        };
    };
    sudoOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        allowCredentials: {
                            id: string;
                            transports?: string[];
                            /** @constant */
                            type: "public-key";
                        }[];
                        challenge: string;
                        rpId: string;
                        timeout: number;
                        /** @constant */
                        userVerification: "discouraged";
                    };
                };
            };
        };
    };
    lifecycleAcceptTerms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrivateUserView"];
                };
            };
        };
    };
    webhooksList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookView"][];
                };
            };
        };
    };
    webhooksCreate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        application_id: string | null;
                        avatar: string | null;
                        created_at: string;
                        id: string;
                        name: string;
                        token: string;
                        url: string;
                        user: components["schemas"]["PartialUserView"];
                    };
                };
            };
        };
    };
    webhooksShow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookView"];
                };
            };
        };
    };
    webhooksDelete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    webhooksEdit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditWebhookInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookView"];
                };
            };
        };
    };
    executionShow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenView"];
                };
            };
        };
    };
    executionExecute: {
        parameters: {
            query?: {
                /** @description Answers with the message for `true`, `True` and `1`, and for nothing else */
                wait?: string;
            };
            header?: never;
            path: {
                id: string;
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    content?: string | null;
                    embeds?: Record<string, never>[] | null;
                    flags?: number | null;
                };
                "multipart/form-data": {
                    "files[0]"?: string;
                    payload_json?: string;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
            /** @description Stored, for callers that do not wait */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    executionDelete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    executionEdit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: byte */
                    avatar?: string | null;
                    name?: string | null;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenView"];
                };
            };
        };
    };
    callbacksGithub: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    action?: string;
                };
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    executionShowMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                message_id: string;
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
        };
    };
    executionDeleteMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                message_id: string;
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    executionEditMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                message_id: string;
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    content?: string | null;
                    embeds?: Record<string, never>[] | null;
                    flags?: number | null;
                };
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
        };
    };
    callbacksSlack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    text?: string;
                };
            };
        };
        responses: {
            /** @description `ok`, as Slack expects it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
        };
    };
    webhooksHistory: {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"][];
                };
            };
        };
    };
    webhooksRotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description The answer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        application_id: string | null;
                        avatar: string | null;
                        created_at: string;
                        id: string;
                        name: string;
                        token: string;
                        url: string;
                        user: components["schemas"]["PartialUserView"];
                    };
                };
            };
        };
    };
}
