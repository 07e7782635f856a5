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
        /** Get the public keys that verify tokens of this service (RFC 7517) */
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
        /** Get the OAuth2 server metadata (RFC 8414) */
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
        /** Get the OpenID Provider metadata (OpenID Connect Discovery) */
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
    "/auth/connections/{id}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a page of the web UI */
        get: operations["pagesPageAuthConnectionsIdCallback"];
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
    "/oauth2/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open the sign-out page for applications */
        get: operations["logoutPagePage"];
        put?: never;
        /** Open the sign-out page with the parameters of a form */
        post: operations["logoutOpen"];
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
        /** List the ACLs in the order of the registry */
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
        /** List the caller's Admin API keys */
        get: operations["adminKeysList"];
        put?: never;
        /** Create an Admin API key */
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
        /** Get an Admin API key of the caller */
        get: operations["adminKeysShow"];
        put?: never;
        post?: never;
        /** Revoke an Admin API key */
        delete: operations["adminKeysRevoke"];
        options?: never;
        head?: never;
        /** Change the name or the ACLs of an Admin API key */
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
        /** List the applications of an owner */
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
        /** Get an application */
        get: operations["adminApplicationsShow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Transfer an application to another owner, trust it, or set the scopes that it serves and the service policies for which it asks for decisions */
        patch: operations["adminApplicationsChange"];
        trace?: never;
    };
    "/v1/admin/audit-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List entries of the audit log, newest first */
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
        /** Get an entry of the audit log */
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
        /** List banned IP addresses and ranges */
        get: operations["ipBansList"];
        put?: never;
        /** Ban an IP address or a range */
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
        /** Check whether an IP address is banned, and by which entry */
        get: operations["ipBansCheck"];
        put?: never;
        post?: never;
        /** Lift the ban of an IP address or a range */
        delete: operations["ipBansLift"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the connections in the order of their buttons */
        get: operations["adminConnectionsList"];
        put?: never;
        /** Create a connection to an identity provider */
        post: operations["adminConnectionsCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a connection */
        get: operations["adminConnectionsShow"];
        put?: never;
        post?: never;
        /** Delete a connection and its identities */
        delete: operations["adminConnectionsRemove"];
        options?: never;
        head?: never;
        /** Change a connection */
        patch: operations["adminConnectionsEdit"];
        trace?: never;
    };
    "/v1/admin/connections/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Test the stored settings of a connection */
        post: operations["adminConnectionsTryOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/event-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the event endpoints, oldest first */
        get: operations["eventEndpointsList"];
        put?: never;
        /** Create an event endpoint */
        post: operations["eventEndpointsCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/event-endpoints/{endpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an event endpoint */
        get: operations["eventEndpointsShow"];
        put?: never;
        post?: never;
        /** Delete an event endpoint */
        delete: operations["eventEndpointsRemove"];
        options?: never;
        head?: never;
        /** Change the URL, the event types or the description of an event endpoint, or disable or enable it */
        patch: operations["eventEndpointsEdit"];
        trace?: never;
    };
    "/v1/admin/event-endpoints/{endpoint_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deliveries to an event endpoint, newest first */
        get: operations["deliveriesList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/event-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a delivery again that is delivered or has failed */
        post: operations["deliveriesReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/event-endpoints/{endpoint_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send up to 1,000 failed deliveries since a time again, oldest first */
        post: operations["deliveriesReplayFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/event-endpoints/{endpoint_id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the signing secret */
        post: operations["eventEndpointsRotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/event-endpoints/{endpoint_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test event to the event endpoint */
        post: operations["deliveriesSendTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the types of events that endpoints can subscribe to, with the texts of types of extensions */
        get: operations["eventEndpointsTypes"];
        put?: never;
        post?: never;
        delete?: never;
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
        /** Test a solved captcha the way captchas of users are verified */
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
        /** Get the settings of the instance */
        get: operations["instanceShow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change settings of the instance */
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
        /** Send a test email to the caller and report whether it was sent */
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
        /** List registrations that wait for approval */
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
        /** Approve or reject a registration */
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
        /** Test the stored configuration of single sign-on */
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
        /** Get current statistics of the instance, per replica and in total */
        get: operations["instanceShowStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/instance/statistics/daily": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the statistics of the last 30 days in UTC */
        get: operations["statisticsShowDaily"];
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
        /** List failed or waiting background jobs, and counts the jobs of each name */
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
        /** Make a failed background job due again */
        post: operations["jobsRetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the roles, oldest first */
        get: operations["rolesList"];
        put?: never;
        /** Create a role */
        post: operations["rolesCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/roles/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a role */
        delete: operations["rolesRemove"];
        options?: never;
        head?: never;
        /** Change the name or the ACLs of a role */
        patch: operations["rolesEdit"];
        trace?: never;
    };
    "/v1/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search accounts */
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
        /** Get an account by its ID */
        get: operations["adminUsersShow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/access-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the personal access tokens of an account that have not expired, newest first */
        get: operations["userTokensList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{user_id}/access-tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a personal access token of an account */
        delete: operations["userTokensDelete"];
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
        /** Replace the ACLs of an account */
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
        /** List the applications of an account */
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
        /** Ban an account temporarily or permanently */
        put: operations["userStateBan"];
        post?: never;
        /** Lift the ban of an account */
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
        /** Schedule the deletion of an account */
        put: operations["userStateScheduleDeletion"];
        post?: never;
        /** Cancel the scheduled deletion of an account */
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
        /** Set the email address of an account */
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
        /** Set whether email to an account bounces */
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
        /** Mark the email address of an account as verified */
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
        /** Add and remove flags of an account */
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
        /** End a lockdown, so that the account can sign in without a password reset */
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
        /** Remove the authenticator and the backup codes of an account */
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
        /** List the networks from which an account signs in without email confirmation */
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
        /** Send a password reset email to an account */
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
        /** Set whether an account has a verified phone number */
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
        /** List the sessions of an account */
        get: operations["userFactorsListSessions"];
        put?: never;
        post?: never;
        /** End every session of an account */
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
        /** List the identities of an account at identity providers */
        get: operations["userSsoShow"];
        /** Link an account to an identity at the identity provider */
        put: operations["userSsoLink"];
        post?: never;
        /** Unlink an account from its identity of single sign-on, or from those of the given connection */
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
        /** Disable an account for suspicious activity */
        put: operations["userStateDisable"];
        post?: never;
        /** Lift the disablement of an account */
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
        /** Replace the suspicious-activity flags of an account */
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
        /** Replace the traits of an account */
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
        /** Send a verification email to an account */
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
        /** List the passkeys of an account */
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
        /** Delete a passkey of an account */
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
        /** Get the account of the caller in the format of the Admin API */
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
        /** Get the application of the calling bot */
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
        /** Confirm a sign-in with the token from the email */
        post: operations["ipAuthorizationAuthorize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the identity providers that users can sign in with */
        get: operations["connectionsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/connections/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with the code from an identity provider */
        post: operations["connectionsComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/connections/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a sign-in with an identity provider */
        post: operations["connectionsStart"];
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
        /** Revert a change of the email address with the token of an email */
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
        /** Send a password reset link if the account exists */
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
        /** Cancel a handoff */
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
        /** Get the device that requests approval */
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
        /** Check whether a handoff is pending or expired */
        get: operations["handoffStatus"];
        put?: never;
        /** Get the session of an approved handoff, once */
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
        /** Approve the sign-in of another device */
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
        /** Start a sign-in that another device approves */
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
        /** Check whether a sign-in was confirmed and return its session */
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
        /** Send the confirmation email of a sign-in again */
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
        /** Sign in with an email address and a password */
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
        /** Complete a sign-in with a TOTP code or a backup code */
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
        /** Complete a sign-in with a passkey */
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
        /** Get the WebAuthn options to complete a sign-in */
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
        /** End the session of the caller */
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
        /** Start a passkey ceremony that another page completes */
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
        /** Cancel a passkey ceremony */
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
        /** Accept the WebAuthn response of the page that runs the ceremony */
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
        /** Get the WebAuthn options for the page that runs the ceremony */
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
        /** Sign in with a completed passkey ceremony */
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
        /** Register an account */
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
        /** Set a new password with the token of a password reset */
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
        /** Check whether the token of a password reset is still valid */
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
        /** List the sessions of the caller */
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
        /** End some of the caller's sessions */
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
        /** Sign in with the code from the identity provider */
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
        /** Start single sign-on */
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
        /** Check whether single sign-on is enabled and enforced */
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
        /** Suggest usernames for a display name */
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
        /** Verify an email address with the token that was sent to it */
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
        /** Send the verification email again */
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
        /** Sign in with a passkey */
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
        /** Get the WebAuthn options to sign in without a password */
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
    "/v1/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide whether a caller may use another service */
        post: operations["decisionsDecide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions/revocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Receive the tags of revoked decisions */
        get: operations["decisionsRevocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forward-auth/{policy}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check a request of another service, for a reverse proxy */
        get: operations["forwardAuthAuthenticate"];
        put?: never;
        post?: never;
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
        /** Get the authorization of the access token */
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
        /** List the applications that the caller has authorized */
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
        /** Revoke the caller's authorization of an application */
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
        /** Revoke the caller's authorizations of several applications */
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
        /** Create an application and its bot */
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
        /** Get an application of the caller */
        get: operations["applicationsDescribe"];
        put?: never;
        post?: never;
        /** Delete an application with its bot and all its grants */
        delete: operations["applicationsDelete"];
        options?: never;
        head?: never;
        /** Change an application */
        patch: operations["applicationsEdit"];
        trace?: never;
    };
    "/v1/oauth2/applications/{id}/backchannel-logouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List logout tokens that were delivered to an application of the caller or have failed, newest first */
        get: operations["backchannelLogoutsList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
        /** Change the bot of an application */
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
        /** Replace the token of a bot */
        post: operations["applicationsResetToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/applications/{id}/bot/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tokens of a bot, oldest first */
        get: operations["botTokensList"];
        put?: never;
        /** Create another token of a bot */
        post: operations["botTokensCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/applications/{id}/bot/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a token of a bot, and end the gateway sessions that it opened */
        delete: operations["botTokensDelete"];
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
        /** Replace the client secret of an application */
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
        /** Get the public data of an application */
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
        /** List the caller's applications */
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
        /** Start an authorization in the browser */
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
        /** Grant or deny the authorization request of an application */
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
        /** Check whether a token is active */
        post: operations["tokenIntrospect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth2/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out at the request of an application, or learn that the user must confirm */
        post: operations["logoutLogout"];
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
        /** Get claims about the user who granted the access token */
        get: operations["openIdUserInfo"];
        put?: never;
        /** Get the same claims with POST */
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
        /** Issue an access token for a code or a refresh token */
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
        /** Revoke a token */
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
        /** Get the account that granted the access token */
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
        /** Make the caller the first administrator of the instance */
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
    "/v1/users/@me/access-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the caller's personal access tokens that have not expired, newest first */
        get: operations["personalTokensList"];
        put?: never;
        /** Create a personal access token */
        post: operations["personalTokensCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/access-tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a personal access token, which stops working immediately */
        delete: operations["personalTokensDelete"];
        options?: never;
        head?: never;
        /** Rename a personal access token */
        patch: operations["personalTokensRename"];
        trace?: never;
    };
    "/v1/users/@me/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the caller's applications */
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
    "/v1/users/@me/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the identities that the caller can sign in with at identity providers */
        get: operations["ownIdentitiesList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/identities/{identity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Unlink an identity */
        delete: operations["ownIdentitiesRemove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/identities/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Link the identity with the code from the identity provider */
        post: operations["ownIdentitiesComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/@me/identities/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start to link an identity of an identity provider to the caller's account */
        post: operations["ownIdentitiesStart"];
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
        /** List the caller's passkeys */
        get: operations["passkeysList"];
        put?: never;
        /** Store a passkey */
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
        /** Delete a passkey */
        delete: operations["passkeysRemove"];
        options?: never;
        head?: never;
        /** Rename a passkey */
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
        /** Get the WebAuthn options to create a passkey */
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
        /** Set whether a passkey is required after the password */
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
        /** Start a passkey ceremony for sudo mode that another page completes */
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
        /** Exchange a completed ceremony for a sudo proof */
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
        /** List the methods that the caller can use for sudo mode */
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
        /** Get the WebAuthn options for sudo mode */
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
            /** @description Four digits that distinguish users with the same username. */
            discriminator: string;
            /** @description Display name. */
            global_name: string | null;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Username. */
            username: string;
        };
        ActiveToken: {
            /**
             * @description Whether the token is valid.
             * @constant
             */
            active: true;
            /** @description Client ID: the ID of the application. */
            client_id: string;
            /** @description Expiration, in Unix seconds. */
            exp: number;
            /** @description Time of issue, in Unix seconds. */
            iat: number;
            /** @description OAuth2 scopes, separated by spaces. */
            scope: string;
            /** @description Account ID. */
            sub: string;
            /**
             * @description Type of the token.
             * @enum {string}
             */
            token_type: "Bearer" | "refresh_token";
        };
        AdminApplicationView: {
            /** @description Whether logout tokens must contain `sid`. */
            backchannel_logout_session_required: boolean;
            /** @description URL that receives logout tokens (OpenID Connect Back-Channel Logout). */
            backchannel_logout_uri: string | null;
            /** @description Discriminator of the bot. */
            bot_discriminator: string | null;
            /** @description Whether users other than the owner can add the bot. */
            bot_is_public: boolean;
            /** @description Whether adding the bot requires the authorization code grant. */
            bot_require_code_grant: boolean;
            /** @description Time at which the bot token was created. */
            bot_token_created_at: string | null;
            /** @description First characters of the bot token. */
            bot_token_preview: string | null;
            /** @description Account ID of the bot. */
            bot_user_id: string | null;
            /** @description Username of the bot. */
            bot_username: string | null;
            /** @description Time at which the client secret was created. */
            client_secret_created_at: string | null;
            /**
             * @description `confidential`: the application keeps a secret. `public`: it uses PKCE only.
             * @enum {string}
             */
            client_type: "confidential" | "public";
            /** @description Whether the bot has a token. */
            has_bot_token: boolean;
            /** @description Whether the application has a client secret. */
            has_client_secret: boolean;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /**
             * @description Algorithm that signs ID tokens.
             * @enum {string}
             */
            id_token_signed_response_alg: "ES256" | "EdDSA" | "RS256";
            /** @description Whether an administrator trusts the application. */
            is_trusted: boolean;
            /** @description Name. */
            name: string;
            /** @description Registered redirect URIs. */
            oauth2_redirect_uris: string[];
            /** @description Discriminator of the owner. */
            owner_discriminator: string | null;
            /** @description Display name of the owner. */
            owner_global_name: string | null;
            /** @description Account ID of the owner. */
            owner_user_id: string | null;
            /** @description Username of the owner. */
            owner_username: string | null;
            /** @description URLs to which users return after they sign out. */
            post_logout_redirect_uris: string[];
            /** @description Service policies for which the application may request decisions. */
            resource_policies: string[];
            /** @description Scopes that the application serves. It can introspect access tokens that have one of them. */
            resource_scopes: string[];
            /** @description Scopes that need no consent of the user. */
            trusted_scopes: string[];
            /** @description Version. */
            version: number;
        };
        AdminSessionView: {
            /** @description Approximate time of the last use. */
            approx_last_used_at: string | null;
            /** @description IP address of the request. */
            client_ip: string;
            /** @description Operating system of the session. */
            client_os: string | null;
            /** @description Program of the session. */
            client_platform: string | null;
            /** @description Time of creation. */
            created_at: string | null;
            /** @description Time of the end of the session. */
            deleted_at: string | null;
            /** @description Hash of the session ID. */
            session_id_hash: string;
        };
        AdminUserView: {
            /** @description Accent color of the profile, as a number 0xRRGGBB. */
            accent_color: number | null;
            /** @description Permissions of an administrator or an Admin API key. */
            acls: string[];
            /** @description Second factors of the account: 0 authenticator app, 2 passkey. */
            authenticator_types: number[];
            /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
            avatar: string | null;
            /** @description Whether the account or the IP address is banned. */
            banned: boolean;
            /** @description Banner of the profile: a hash in responses, a data URL or Base64 in requests. Null: none. */
            banner: string | null;
            /** @description Text of the profile. */
            bio: string | null;
            /** @description The bot of the application, or whether the account is a bot. */
            bot: boolean;
            /** @description Time of creation. */
            created_at: string;
            /** @description Reason of the deletion that the user sees. */
            deletion_public_reason: string | null;
            /** @description Code of the reason of the deletion. */
            deletion_reason_code: number | null;
            /** @description Four digits that distinguish users with the same username. */
            discriminator: string;
            /** @description Email address. */
            email: string | null;
            /** @description Whether emails to the address bounced. */
            email_bounced: boolean;
            /** @description Whether the email address is verified. */
            email_verified: boolean;
            /** @description Flags, as a bit field. */
            flags: string;
            /** @description Display name. */
            global_name: string | null;
            /** @description Whether the account has an authenticator app. */
            has_totp: boolean;
            /** @description Whether the account has a verified phone number. */
            has_verified_phone: boolean;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Time of the last request. */
            last_active_at: string | null;
            /** @description IP address of the last request. */
            last_active_ip: string | null;
            /** @description Language, as a BCP 47 tag. */
            locale: string;
            /** @description Time of the scheduled deletion. Null: none. */
            pending_deletion_at: string | null;
            /** @description Pronouns of the user. */
            pronouns: string | null;
            /** @description Whether the account is linked to the identity provider. */
            sso_linked: boolean;
            /** @description Requirements that the user must meet, as a bit field. */
            suspicious_activity_flags: number;
            /** @description Whether the account belongs to the platform. */
            system: boolean;
            /** @description End of the temporary suspension. */
            temp_banned_until: string | null;
            /** @description Traits of the account, set by administrators. */
            traits: string[];
            /** @description Username. */
            username: string;
        };
        ApplicationBotView: {
            /** @description Second factors of the account: 0 authenticator app, 2 passkey. */
            authenticator_types: number[];
            /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
            avatar: string | null;
            /** @description Banner of the profile: a hash in responses, a data URL or Base64 in requests. Null: none. */
            banner: string | null;
            /** @description Text of the profile. */
            bio: string | null;
            /** @description Four digits that distinguish users with the same username. */
            discriminator: string;
            /** @description Flags, as a bit field. */
            flags: number;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Whether the account has a second factor. */
            mfa_enabled: boolean;
            /** @description Token. It is shown only once. */
            token?: string;
            /** @description Username. */
            username: string;
        };
        ApplicationView: {
            /** @description Whether logout tokens must contain `sid`. */
            backchannel_logout_session_required: boolean;
            /** @description URL that receives logout tokens (OpenID Connect Back-Channel Logout). */
            backchannel_logout_uri: string | null;
            /** @description The bot of the application, or whether the account is a bot. */
            bot?: components["schemas"]["ApplicationBotView"];
            /** @description Whether users other than the owner can add the bot. */
            bot_public: boolean;
            /** @description Whether adding the bot requires the authorization code grant. */
            bot_require_code_grant: boolean;
            /** @description Client secret. It is shown only once. */
            client_secret?: string;
            /**
             * @description `confidential`: the application keeps a secret. `public`: it uses PKCE only.
             * @enum {string}
             */
            client_type: "confidential" | "public";
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /**
             * @description Algorithm that signs ID tokens.
             * @enum {string}
             */
            id_token_signed_response_alg: "ES256" | "EdDSA" | "RS256";
            /** @description Whether an administrator trusts the application. */
            is_trusted: boolean;
            /** @description Name. */
            name: string;
            /** @description URLs to which users return after they sign out. */
            post_logout_redirect_uris: string[];
            /** @description Registered redirect URIs. */
            redirect_uris: string[];
            /** @description Scopes that need no consent of the user. */
            trusted_scopes: string[];
        };
        ApplyEmailInput: {
            /** @description Proof that the new email address was verified. */
            email_token: string;
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        AssertionInput: {
            /** @description Challenge to sign, in Base64url. */
            challenge: string;
            /** @description Response of the authenticator (WebAuthn). */
            response: Record<string, never>;
        };
        AttachmentView: {
            /** @description Media type of the file. */
            content_type: string;
            /** @description Name of the file. */
            filename: string;
            /** @description Height in pixels. */
            height?: number;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Size in bytes. */
            size: number;
            /** @description URL. */
            url: string;
            /** @description Width in pixels. */
            width?: number;
        };
        AuditEntryView: {
            /** @description Name of the action. */
            action: string;
            /** @description The administrator who acted. */
            admin_user: components["schemas"]["AccountSummary"] | null;
            /** @description ID of the administrator who acted. */
            admin_user_id: string;
            /** @description ID of the Admin API key that was used, or null for a session. */
            api_key_id: string | null;
            /** @description Reason that the administrator gave in `X-Audit-Log-Reason`. */
            audit_log_reason: string | null;
            /** @description IP address of the request. */
            client_ip: string | null;
            /** @description Time of creation. */
            created_at: string;
            /** @description ID of the audit log entry. */
            log_id: string;
            /** @description Facts about the event or message. */
            metadata: {
                [key: string]: string;
            };
            /** @description ID of the request. Include it in support requests. */
            request_id: string;
            /** @description ID of the target. */
            target_id: string;
            /** @description Type of the target. */
            target_type: string;
            /** @description The account that the action changed. */
            target_user: components["schemas"]["AccountSummary"] | null;
        };
        AuthorizationView: {
            /** @description The application. */
            application: {
                /** @description Whether users other than the owner can add the bot. */
                bot_public: boolean;
                /** @description Text that describes it. */
                description: string | null;
                /** @description Icon of the application, as a hash. Null: none. */
                icon: string | null;
                /** @description ID, as a decimal string of a 64-bit number. */
                id: string;
                /** @description Name. */
                name: string;
            };
            /** @description Time at which the user authorized the application. */
            authorized_at: string;
            /** @description Whether only the trust of the instance in the application gave this access. */
            by_platform: boolean;
            /** @description OAuth2 scopes. */
            scopes: string[];
            /** @description Hashes of the session IDs. */
            session_id_hashes: string[];
        };
        AwaitsApproval: {
            /**
             * @description Always true: an administrator must approve the registration.
             * @constant
             */
            registration_pending_approval: true;
            /** @description Account ID. */
            user_id: string;
        };
        BackupCodesInput: {
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Whether to replace all backup codes. */
            regenerate: boolean;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        BackupCodeView: {
            /** @description Code. In error responses: the stable error code. */
            code: string | null;
            /** @description Whether the backup code was used. */
            consumed: boolean;
        };
        BanAddressInput: {
            /** @description Duration in hours. 0: permanent. */
            duration_hours?: number;
            /**
             * Format: ip-network
             * @description IP address or CIDR range.
             * @example 198.51.100.0/24
             */
            ip: string;
        };
        BanInput: {
            /** @description Duration in hours. 0: permanent. */
            duration_hours: number;
            /** @description Reason. */
            reason?: string | null;
        };
        /** @description The counts that led to an automatic ban (conventions.md 9.1). */
        BanSignals: {
            /** @description Number of rejected credentials. */
            rejected_credentials: number;
            /** @description Score in the five-minute window of the ban. */
            score: number;
            /**
             * @description Limit that was exceeded.
             * @enum {string}
             */
            trigger: "rejected_credentials" | "score";
            /** @description Number of windows in the last hour that reached the score limit. */
            windows: number;
        };
        BotProfileView: {
            /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
            avatar: string | null;
            /** @description Banner of the profile: a hash in responses, a data URL or Base64 in requests. Null: none. */
            banner: string | null;
            /** @description Text of the profile. */
            bio: string | null;
            /** @description Four digits that distinguish users with the same username. */
            discriminator: string;
            /** @description Flags, as a bit field. */
            flags: number;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Username. */
            username: string;
        };
        BotTokenView: {
            /** @description Time of creation. */
            created_at: string;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Time of the last use. Null: never. */
            last_used_at: string | null;
            /** @description Name. */
            name: string;
            /** @description Last four characters of the token. */
            preview: string;
        };
        BouncedEmailInput: {
            /**
             * Format: email
             * @description New email address.
             */
            new_email: string;
        };
        /**
         * @description How the caller of a service was identified, for other services.
         * @enum {string}
         */
        CallerKind: "anonymous" | "bearer" | "bot" | "session";
        /** @description The caller, as another service sees it. Members without a value are absent. */
        CallerView: {
            /** @description Account of the caller. */
            account_id?: string;
            /** @description ID of the application. */
            application_id?: string;
            /** @description Kind of the entry. */
            kind: components["schemas"]["CallerKind"];
            /** @description OAuth2 scopes. */
            scopes?: string[];
            /** @description `<username>#<discriminator>` */
            username?: string;
        };
        CancelHandoffInput: {
            /** @description Secret of the device that waits for the sign-in. */
            poll_secret?: string;
        };
        CancelledCeremony: {
            /**
             * @description Status.
             * @constant
             */
            status: "cancelled";
        };
        /** @enum {string} */
        CaptchaProvider: "altcha" | "hcaptcha" | "none" | "turnstile";
        CaptchaTestInput: {
            /** @description Token. It is shown only once. */
            token: string;
            /**
             * @description Type.
             * @enum {string}
             */
            type?: "altcha" | "hcaptcha" | "turnstile";
        };
        Challenge: {
            /** @description Code that users type in if they cannot solve the proof of work. */
            codeChallenge?: components["schemas"]["CodeChallenge"];
            /** @description Parameters of the proof of work. */
            parameters: components["schemas"]["ChallengeParameters"];
            /** @description Signature of the challenge. */
            signature?: string;
        };
        ChallengeParameters: {
            /** @description Hash algorithm of the proof of work. */
            algorithm: string;
            /** @description Difficulty of the proof of work. */
            cost: number;
            /** @description Facts that depend on the type. */
            data?: {
                [key: string]: boolean | number | string | null;
            };
            /** @description Time at which the challenge expires, in Unix seconds. */
            expiresAt?: number;
            /** @description Length of the derived key. */
            keyLength: number;
            /** @description Prefix that the derived key must have. */
            keyPrefix: string;
            /** @description Signature of the key. */
            keySignature?: string;
            /** @description Memory of the proof of work, in KiB. */
            memoryCost?: number;
            /** @description Value that binds the response to the request. */
            nonce: string;
            /** @description Parallelism of the proof of work. */
            parallelism?: number;
            /** @description Salt of the proof of work. */
            salt: string;
        };
        ChangeApplicationInput: {
            /** @description Whether an administrator trusts the application. */
            is_trusted?: boolean;
            /**
             * Format: int64
             * @description Account ID of the new owner.
             * @example 1501314428688998182
             */
            new_owner_id?: string;
            /** @description Service policies for which the application may request decisions. */
            resource_policies?: string[];
            /** @description Scopes that the application serves. It can introspect access tokens that have one of them. */
            resource_scopes?: string[];
            /** @description Scopes that need no consent of the user. */
            trusted_scopes?: string[];
        };
        /** @description A connection and the number of links of administrators that a change of its provider removed. */
        ChangedConnection: {
            /** @description Whether a sign-in creates an account if there is none. */
            allow_sign_up: boolean;
            /** @description Email domains that may sign in through the identity provider. Empty: all. */
            allowed_domains: string[];
            /** @description Authorization endpoint of the identity provider. */
            authorization_url: string | null;
            /** @description Members of the user information by fact. A value that starts with `/` is a JSON pointer. */
            claims: {
                /** @description Email address. */
                email?: string;
                /** @description Whether the email address is verified. */
                email_verified?: string;
                /** @description ID, as a decimal string of a 64-bit number. */
                id?: string;
                /** @description Name. */
                name?: string;
                /** @description Picture of the user. */
                picture?: string;
                /** @description Username. */
                username?: string;
            } | null;
            /** @description Client ID: the ID of the application. */
            client_id: string | null;
            /** @description Whether a client secret is stored. */
            client_secret_set: boolean;
            /** @description Name that pages show. */
            display_name: string;
            /** @description URL of the list of email addresses of the user, of which the primary one is used. */
            emails_url: string | null;
            /** @description Whether it is turned on. */
            enabled: boolean;
            /** @description A kind, whose icon is shown, or the URL of an image. Default: the kind of the connection. */
            icon: string | null;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Identities at the identity provider. */
            identities: number;
            /** @description URL that identifies the issuer. */
            issuer: string | null;
            /** @description Key set of the identity provider. */
            jwks_url: string | null;
            /**
             * @description Kind of the entry.
             * @enum {string}
             */
            kind: "discord" | "github" | "gitlab" | "google" | "microsoft" | "oauth2" | "oidc";
            /** @description Whether a sign-in links the identity to the account with the same verified email address. */
            link_by_email: boolean;
            /** @description Place among the buttons. Equal ones are in the order of creation. */
            position: number;
            /** @description Redirect URI. */
            redirect_uri: string;
            /** @description Whether an account with two-step verification must complete it after this sign-in. */
            require_second_factor: boolean;
            /** @description OAuth2 scopes, separated by spaces. */
            scope: string | null;
            /** @description Token endpoint of the identity provider. */
            token_url: string | null;
            /** @description Userinfo endpoint of the identity provider. */
            userinfo_url: string | null;
            /** @description Number of administrators whose link to the former identity provider was removed. */
            voided_admin_links?: number;
        };
        /** @description The configuration and the number of administrator links that a new provider invalidated. */
        ChangedInstanceConfig: {
            /** @description Values that pages show without a credential. */
            app_public: {
                /** @description Product name, logo and color of the instance. */
                branding: {
                    /** @description Name of the product. */
                    product_name: string;
                };
                /** @description URLs of terms and privacy policy. */
                legal: {
                    /** @description URL of the privacy policy. */
                    privacy_url: string | null;
                    /** @description URL of the terms. */
                    terms_url: string | null;
                };
                /** @description State of the setup. */
                setup: {
                    /** @description Whether the instance is set up. */
                    configured: boolean;
                };
            };
            /** @description Registration of new users. */
            registration: {
                /** @description Whether registration hides that an email address is taken. */
                hide_existing_accounts: boolean;
                /** @description Requirements for new accounts, as a bit field. */
                initial_suspicious_flags: number;
                /**
                 * @description Mode.
                 * @enum {string}
                 */
                mode: "approval" | "closed" | "open";
            };
            /** @description Single sign-on. */
            sso: {
                /** @description Email domains that may sign in through the identity provider. Empty: all. */
                allowed_domains: string[];
                /** @description Authorization endpoint of the identity provider. */
                authorization_url: string | null;
                /** @description Whether the first sign-in through the identity provider creates an account. */
                auto_provision: boolean;
                /** @description Client ID: the ID of the application. */
                client_id: string | null;
                /** @description Whether a client secret is stored. */
                client_secret_set: boolean;
                /** @description Name that pages show. */
                display_name: string | null;
                /** @description Whether it is turned on. */
                enabled: boolean;
                /** @description Whether single sign-on is required. */
                enforced: boolean;
                /** @description URL that identifies the issuer. */
                issuer: string | null;
                /** @description Key set of the identity provider. */
                jwks_url: string | null;
                /** @description Redirect URI. */
                redirect_uri: string;
                /** @description OAuth2 scopes, separated by spaces. */
                scope: string;
                /** @description Token endpoint of the identity provider. */
                token_url: string | null;
                /** @description Userinfo endpoint of the identity provider. */
                userinfo_url: string | null;
            };
            /** @description Number of administrators whose link to the former identity provider was removed. */
            voided_admin_links?: number;
        };
        CodeChallenge: {
            /** @description URL of the code as audio. */
            audio?: string;
            /** @description Image as a data URL. */
            image: string;
            /** @description Number of characters. */
            length?: number;
        };
        Collected: {
            /**
             * @description What the sign-in ended: a disablement by the user or a scheduled deletion.
             * @enum {string}
             */
            reactivated?: "deletion" | "disabled";
            /**
             * @description Status.
             * @constant
             */
            status: "completed";
            /** @description Token. It is shown only once. */
            token: string;
            /** @description The user. */
            user: components["schemas"]["PartialUserView"];
            /** @description Account ID. */
            user_id: string;
        } | {
            /**
             * @description Status.
             * @enum {string}
             */
            status: "expired" | "pending";
        };
        CollectHandoffInput: {
            /** @description Secret of the device that waits for the sign-in. */
            poll_secret: string;
        };
        CompleteBridgeInput: {
            /** @description Response of the authenticator (WebAuthn). */
            response: Record<string, never>;
        };
        CompleteConnectionInput: {
            /** @description Code. In error responses: the stable error code. */
            code: string;
            /** @description Issuer in the response of the identity provider (RFC 9207). */
            iss?: string;
            /** @description Value that binds the response to the request. */
            nonce: string;
            /** @description State. In OAuth2 requests: a value that is returned unchanged. */
            state: string;
        };
        CompleteHandoffInput: {
            /** @description Code. In error responses: the stable error code. */
            code: string;
            /**
             * @description Two digits that both devices show.
             * @example 42
             */
            confirmation?: string;
            /**
             * Format: int64
             * @description Account ID.
             * @example 1501314428688998182
             */
            user_id: string;
        };
        CompleteInput: {
            /** @description Uploads, or whether uploads are turned on. */
            uploads: {
                /** @description Name of the upload. Use it in later requests. */
                upload_filename: string;
            }[];
        };
        CompletePasswordChangeInput: {
            /**
             * Format: password
             * @description New password, 8 to 256 characters.
             */
            new_password: string;
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
            /** @description Proof that the code from the email was correct. */
            verification_proof: string;
        };
        CompleteSsoInput: {
            /** @description Code. In error responses: the stable error code. */
            code: string;
            /** @description Issuer in the response of the identity provider (RFC 9207). */
            iss?: string;
            /** @description Value that binds the response to the request. */
            nonce?: string;
            /** @description State. In OAuth2 requests: a value that is returned unchanged. */
            state: string;
        };
        /** @description A session, or a challenge if a second factor is required. */
        ConnectionSignInResult: {
            /** @description Second factors that the account can use. */
            allowed_methods: string[];
            /** @description Backup codes, or whether the account has unused ones. */
            backup_codes: boolean;
            /**
             * @description Always true: a second factor is required.
             * @constant
             */
            mfa: true;
            /** @description URL to which the browser must go next. */
            redirect_to: string;
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
            /** @description Whether the account has an authenticator app. */
            totp: boolean;
            /** @description Whether the account has a passkey. */
            webauthn: boolean;
        } | {
            /**
             * @description What the sign-in ended: a disablement by the user or a scheduled deletion.
             * @enum {string}
             */
            reactivated?: "deletion" | "disabled";
            /** @description URL to which the browser must go next. */
            redirect_to: string;
            /** @description Token. It is shown only once. */
            token: string;
            /** @description The user. */
            user: components["schemas"]["PartialUserView"];
            /** @description Account ID. */
            user_id: string;
        };
        ConsentInput: {
            /** @description Requested authentication levels, separated by spaces. */
            acr_values?: string;
            /**
             * Format: int64
             * @description Client ID: the ID of the application.
             * @example 1501314428688998182
             */
            client_id: string;
            /** @description PKCE code challenge (RFC 7636). */
            code_challenge?: string;
            /** @description PKCE method. Only `S256`. */
            code_challenge_method?: string;
            /**
             * @description Decision of the user or administrator.
             * @enum {string}
             */
            decision?: "approve" | "deny";
            /** @description ID token of the user, as a hint. */
            id_token_hint?: string;
            /** @description Email address or username to fill in. */
            login_hint?: string;
            /** @description Maximum age of the sign-in, in seconds. */
            max_age?: number;
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /** @description Value that binds the response to the request. */
            nonce?: string;
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Values of `prompt`, separated by spaces. */
            prompt?: string;
            /** @description Redirect URI. */
            redirect_uri?: string;
            /**
             * @description Only `code`.
             * @enum {string}
             */
            response_type?: "code";
            /** @description OAuth2 scopes, separated by spaces. */
            scope: string;
            /** @description State. In OAuth2 requests: a value that is returned unchanged. */
            state?: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        CreateAdminKeyInput: {
            /** @description Permissions of an administrator or an Admin API key. */
            acls: string[];
            /** @description Lifetime in days. */
            expires_in_days?: number;
            /** @description Name. */
            name: string;
        };
        CreateApplicationInput: {
            /** @description Whether logout tokens must contain `sid`. */
            backchannel_logout_session_required?: boolean;
            /**
             * Format: uri
             * @description URL that receives logout tokens (OpenID Connect Back-Channel Logout).
             */
            backchannel_logout_uri?: string | null;
            /** @description Whether users other than the owner can add the bot. */
            bot_public?: boolean;
            /** @description Whether adding the bot requires the authorization code grant. */
            bot_require_code_grant?: boolean;
            /**
             * @description `confidential`: the application keeps a secret. `public`: it uses PKCE only.
             * @enum {string}
             */
            client_type?: "confidential" | "public";
            /**
             * @description Algorithm that signs ID tokens.
             * @enum {string}
             */
            id_token_signed_response_alg?: "RS256" | "ES256" | "EdDSA";
            /** @description Name. */
            name: string;
            /** @description URLs to which users return after they sign out. */
            post_logout_redirect_uris?: string[] | null;
            /** @description Registered redirect URIs. */
            redirect_uris?: string[] | null;
        };
        CreateBotTokenInput: {
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /** @description Name. */
            name?: string;
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        CreateConnectionInput: {
            /** @description Whether a sign-in creates an account if there is none. */
            allow_sign_up?: boolean;
            /** @description Email domains that may sign in through the identity provider. Empty: all. */
            allowed_domains?: string[];
            /**
             * Format: uri
             * @description Authorization endpoint of the identity provider.
             */
            authorization_url?: string | null;
            /** @description Members of the user information by fact. A value that starts with `/` is a JSON pointer. */
            claims?: {
                /** @description Email address. */
                email?: string;
                /** @description Whether the email address is verified. */
                email_verified?: string;
                /** @description ID, as a decimal string of a 64-bit number. */
                id?: string;
                /** @description Name. */
                name?: string;
                /** @description Picture of the user. */
                picture?: string;
                /** @description Username. */
                username?: string;
            } | null;
            /** @description Client ID: the ID of the application. */
            client_id?: string | null;
            /** @description Client secret. It is shown only once. */
            client_secret?: string | null;
            /** @description Name that pages show. */
            display_name: string;
            /**
             * Format: uri
             * @description URL of the list of email addresses of the user, of which the primary one is used.
             */
            emails_url?: string | null;
            /** @description Whether it is turned on. */
            enabled?: boolean;
            /** @description Icon of the application, as a hash. Null: none. */
            icon?: string | null;
            /**
             * @description ID, as a decimal string of a 64-bit number.
             * @example google
             */
            id: string;
            /**
             * Format: uri
             * @description URL that identifies the issuer.
             */
            issuer?: string | null;
            /**
             * Format: uri
             * @description Key set of the identity provider.
             */
            jwks_url?: string | null;
            /**
             * @description Kind of the entry.
             * @enum {string}
             */
            kind: "google" | "microsoft" | "github" | "gitlab" | "discord" | "oidc" | "oauth2";
            /** @description Whether a sign-in links the identity to the account with the same verified email address. */
            link_by_email?: boolean;
            /** @description Place among the buttons. Equal ones are in the order of creation. */
            position?: number;
            /** @description Whether an account with two-step verification must complete it after this sign-in. */
            require_second_factor?: boolean;
            /** @description OAuth2 scopes, separated by spaces. */
            scope?: string | null;
            /**
             * Format: uri
             * @description Token endpoint of the identity provider.
             */
            token_url?: string | null;
            /**
             * Format: uri
             * @description Userinfo endpoint of the identity provider.
             */
            userinfo_url?: string | null;
        };
        CreateEventEndpointInput: {
            /** @description Text that describes it. */
            description?: string;
            /** @description Types of events, such as `account.created`. */
            event_types: string[];
            /**
             * Format: uri
             * @description URL.
             */
            url: string;
        };
        CreatePersonalTokenInput: {
            /** @description Lifetime in days. */
            expires_in_days?: number;
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /** @description Name. */
            name: string;
            /** @description Networks that the account has used. */
            networks?: string[];
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description OAuth2 scopes. */
            scopes: string[];
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        CreateRoleInput: {
            /** @description Permissions of an administrator or an Admin API key. */
            acls: string[];
            /** @description Name. */
            name: string;
        };
        CreateWebhookInput: {
            /**
             * Format: int64
             * @description ID of the application.
             * @example 1501314428688998182
             */
            application_id?: string;
            /**
             * Format: byte
             * @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none.
             */
            avatar?: string | null;
            /** @description Name. */
            name: string;
        };
        CurrentAuthorizationView: {
            /** @description The application. */
            application: {
                /** @description Whether users other than the owner can add the bot. */
                bot_public: boolean;
                /** @description Whether adding the bot requires the authorization code grant. */
                bot_require_code_grant: boolean;
                /** @description Text that describes it. */
                description: string | null;
                /** @description Icon of the application, as a hash. Null: none. */
                icon: string | null;
                /** @description ID, as a decimal string of a 64-bit number. */
                id: string;
                /** @description Name. */
                name: string;
            };
            /** @description Time at which the access token expires. */
            expires: string;
            /** @description OAuth2 scopes. */
            scopes: string[];
            /** @description The user. */
            user?: components["schemas"]["UserInfoView"];
        };
        CurrentBotApplicationView: {
            /** @description The bot of the application, or whether the account is a bot. */
            bot: components["schemas"]["BotProfileView"];
            /** @description Whether users other than the owner can add the bot. */
            bot_public: boolean;
            /** @description Whether adding the bot requires the authorization code grant. */
            bot_require_code_grant: boolean;
            /** @description Text that describes it. */
            description: string | null;
            /** @description Icon of the application, as a hash. Null: none. */
            icon: string | null;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Name. */
            name: string;
            /** @description Owner of the application. */
            owner: components["schemas"]["PartialUserView"];
            /** @description Registered redirect URIs. */
            redirect_uris: string[];
        };
        DayView: {
            /** @description Number of accounts at the end of the day, or now. Without bots and deleted accounts. */
            accounts: number;
            /** @description Day in UTC, such as `2026-11-27`. */
            day: string;
            /** @description Number of accounts whose data was deleted. */
            deletions: number;
            /** @description Number of failed sign-ins by error code, or by field code if the error has one. */
            failures: {
                [key: string]: number;
            };
            /** @description Number of sign-ins. */
            sign_ins: number;
            /** @description Number of registrations. */
            sign_ups: number;
        };
        DecideRegistrationInput: {
            /**
             * @description Status.
             * @enum {string}
             */
            status: "approved" | "rejected";
        };
        DecisionInput: {
            /**
             * Format: ip-address
             * @description IP address of the client of the other service. Bans and limits of networks apply to it.
             * @example 198.51.100.7
             */
            address?: string;
            /** @description Value of the `Authorization` header that the other service received. */
            authorization?: string;
            /**
             * @description Access policy of the route.
             * @example documents-read
             */
            policy: string;
            /** @description Proof of sudo mode that the other service received in `X-Service-Sudo-Mode-JWT`. */
            sudo?: string;
        };
        /** @description The decision about one credential (contract/forward-auth.md section 3). */
        DecisionView: {
            /** @description Whether the request would reach its handler. */
            admitted: boolean;
            /** @description The position of the journal before the decision. */
            as_of: string;
            /** @description Kind of request body that the route reads. */
            body?: string;
            /** @description Seconds for which the service may keep the decision. 0: not at all. */
            expires_in: number;
            /** @description Headers and body of the error response, exactly as the service sends them. Absent if the caller is admitted. */
            headers?: {
                [key: string]: string;
            };
            /** @description Absent with status 401. */
            identity?: components["schemas"]["CallerView"];
            /** @description 200, or the status of the error response. */
            status: number;
            /** @description Names of what the decision depends on. The revocation of one of them ends it. */
            tags: string[];
        };
        DeleteConnectionInput: {
            /** @description Identities at the identity provider. */
            identities: number;
        };
        DeletionInput: {
            /** @description Days until the account is deleted. */
            days_until_deletion?: number;
            /** @description Reason that the user sees. */
            public_reason?: string | null;
            /** @description Code of the reason. */
            reason_code: number;
        };
        DeliveryView: {
            /** @description Number of attempts. */
            attempts: number;
            /** @description Time of creation. */
            created_at: string;
            /** @description Why the last attempt failed. */
            error: ("certificate" | "disabled" | "gone" | "status" | "timeout" | "unreachable" | "url_not_allowed") | null;
            /** @description Type of the event. */
            event_type: string;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Time of the last attempt, or `null`. */
            last_attempt_at: string | null;
            /** @description ID of the event, which is the header `webhook-id` of each attempt. */
            message_id: string;
            /** @description Time of the next attempt, or `null` if there is none. */
            next_attempt_at: string | null;
            /** @description HTTP status of the last response, or `null` without one. */
            response_status: number | null;
            /**
             * @description Status.
             * @enum {string}
             */
            status: "delivered" | "failed" | "pending";
        };
        /** @description Texts by language, or `null` if the pages contain them, as for built-in features. */
        Described: components["schemas"]["LocalizedText"] | null;
        DeviceView: {
            /** @description Time of the event. */
            at: string;
            /** @description Device and program of the session. */
            client_info: {
                /** @description Name of the browser. */
                browser: string | null;
                /** @description Kind of device. */
                device: string;
                /** @description Operating system. */
                os: string | null;
                /** @description Program. */
                platform: string | null;
            };
            /** @description IP address with its end hidden. */
            masked_ip: string | null;
        };
        DisableTotpInput: {
            /** @description Code. In error responses: the stable error code. */
            code: string;
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        EditAdminKeyInput: {
            /** @description Permissions of an administrator or an Admin API key. */
            acls?: string[];
            /** @description Name. */
            name?: string;
        };
        EditApplicationInput: {
            /** @description Whether logout tokens must contain `sid`. */
            backchannel_logout_session_required?: boolean;
            /**
             * Format: uri
             * @description URL that receives logout tokens (OpenID Connect Back-Channel Logout).
             */
            backchannel_logout_uri?: string | null;
            /** @description Whether users other than the owner can add the bot. */
            bot_public?: boolean;
            /** @description Whether adding the bot requires the authorization code grant. */
            bot_require_code_grant?: boolean;
            /**
             * @description Algorithm that signs ID tokens.
             * @enum {string}
             */
            id_token_signed_response_alg?: "RS256" | "ES256" | "EdDSA";
            /** @description Name. */
            name?: string;
            /** @description URLs to which users return after they sign out. */
            post_logout_redirect_uris?: string[] | null;
            /** @description Registered redirect URIs. */
            redirect_uris?: string[] | null;
        };
        EditBotInput: {
            /**
             * Format: byte
             * @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none.
             */
            avatar?: string | null;
            /**
             * Format: byte
             * @description Banner of the profile: a hash in responses, a data URL or Base64 in requests. Null: none.
             */
            banner?: string | null;
            /** @description Text of the profile. */
            bio?: string | null;
            /** @description Four digits that distinguish users with the same username. */
            discriminator?: string;
            /** @description Username. */
            username?: string;
        };
        EditConnectionInput: {
            /** @description Whether a sign-in creates an account if there is none. */
            allow_sign_up?: boolean;
            /** @description Email domains that may sign in through the identity provider. Empty: all. */
            allowed_domains?: string[];
            /**
             * Format: uri
             * @description Authorization endpoint of the identity provider.
             */
            authorization_url?: string | null;
            /** @description Members of the user information by fact. A value that starts with `/` is a JSON pointer. */
            claims?: {
                /** @description Email address. */
                email?: string;
                /** @description Whether the email address is verified. */
                email_verified?: string;
                /** @description ID, as a decimal string of a 64-bit number. */
                id?: string;
                /** @description Name. */
                name?: string;
                /** @description Picture of the user. */
                picture?: string;
                /** @description Username. */
                username?: string;
            } | null;
            /** @description Client ID: the ID of the application. */
            client_id?: string | null;
            /** @description Client secret. It is shown only once. */
            client_secret?: string | null;
            /** @description Name that pages show. */
            display_name?: string;
            /**
             * Format: uri
             * @description URL of the list of email addresses of the user, of which the primary one is used.
             */
            emails_url?: string | null;
            /** @description Whether it is turned on. */
            enabled?: boolean;
            /** @description Icon of the application, as a hash. Null: none. */
            icon?: string | null;
            /**
             * Format: uri
             * @description URL that identifies the issuer.
             */
            issuer?: string | null;
            /**
             * Format: uri
             * @description Key set of the identity provider.
             */
            jwks_url?: string | null;
            /** @description Whether a sign-in links the identity to the account with the same verified email address. */
            link_by_email?: boolean;
            /** @description Place among the buttons. Equal ones are in the order of creation. */
            position?: number;
            /** @description Whether an account with two-step verification must complete it after this sign-in. */
            require_second_factor?: boolean;
            /** @description OAuth2 scopes, separated by spaces. */
            scope?: string | null;
            /**
             * Format: uri
             * @description Token endpoint of the identity provider.
             */
            token_url?: string | null;
            /**
             * Format: uri
             * @description Userinfo endpoint of the identity provider.
             */
            userinfo_url?: string | null;
        };
        /** @description After a password change, it includes the new token of the calling session. */
        EditedUser: {
            /** @description Accent color of the profile, as a number 0xRRGGBB. */
            accent_color: number | null;
            /** @description Permissions of an administrator or an Admin API key. */
            acls: string[];
            /** @description Hash of the session ID. Matches an item of the session list. */
            auth_session_id_hash?: string;
            /** @description Second factors of the account: 0 authenticator app, 2 passkey. */
            authenticator_types?: number[];
            /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
            avatar: string | null;
            /** @description Dominant color of the avatar, as a number 0xRRGGBB. */
            avatar_color: number | null;
            /** @description Banner of the profile: a hash in responses, a data URL or Base64 in requests. Null: none. */
            banner: string | null;
            /** @description Text of the profile. */
            bio: string | null;
            /**
             * @description The bot of the application, or whether the account is a bot.
             * @constant
             */
            bot?: true;
            /** @description Time of creation. */
            created_at: string;
            /** @description Four digits that distinguish users with the same username. */
            discriminator: string;
            /** @description Email address. */
            email: string | null;
            /**
             * @description Whether emails to the address bounced.
             * @constant
             */
            email_bounced?: true;
            /** @description Flags, as a bit field. */
            flags: number;
            /** @description Display name. */
            global_name: string | null;
            /** @description Whether the account has a verified phone number. */
            has_verified_phone: boolean;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Language, as a BCP 47 tag. */
            locale: string;
            /** @description Whether the account has a second factor. */
            mfa_enabled: boolean;
            /** @description Time of the last change of the password. */
            password_last_changed_at: string | null;
            /** @description Phone number in E.164 format. */
            phone: null;
            /** @description Pronouns of the user. */
            pronouns: string | null;
            /** @description Actions that the user must take before other requests. */
            required_actions: ("REQUIRE_REVERIFIED_EMAIL" | "REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE" | "REQUIRE_REVERIFIED_EMAIL_OR_VERIFIED_PHONE" | "REQUIRE_REVERIFIED_PHONE" | "REQUIRE_VERIFIED_EMAIL" | "REQUIRE_VERIFIED_EMAIL_OR_REVERIFIED_PHONE" | "REQUIRE_VERIFIED_EMAIL_OR_VERIFIED_PHONE" | "REQUIRE_VERIFIED_PHONE")[];
            /**
             * @description Whether the account belongs to the platform.
             * @constant
             */
            system?: true;
            /** @description Time at which the user agreed to the terms. */
            terms_agreed_at: string | null;
            /** @description Token. It is shown only once. */
            token?: string;
            /** @description Traits of the account, set by administrators. */
            traits: string[];
            /** @description Username. */
            username: string;
            /** @description Whether the email address or phone number is verified. */
            verified: boolean;
        };
        EditEventEndpointInput: {
            /** @description Text that describes it. */
            description?: string;
            /** @description Types of events, such as `account.created`. */
            event_types?: string[];
            /** @description Whether the event endpoint is disabled, so that no event is sent to it. */
            is_disabled?: boolean;
            /**
             * Format: uri
             * @description URL.
             */
            url?: string;
        };
        EditFlagsInput: {
            /** @description Flags to set, as decimal strings. */
            add_flags?: string[];
            /** @description Flags to clear, as decimal strings. */
            remove_flags?: string[];
        };
        EditMeInput: {
            /** @description Accent color of the profile, as a number 0xRRGGBB. */
            accent_color?: number | null;
            /**
             * Format: byte
             * @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none.
             */
            avatar?: string | null;
            /**
             * Format: byte
             * @description Banner of the profile: a hash in responses, a data URL or Base64 in requests. Null: none.
             */
            banner?: string | null;
            /** @description Text of the profile. */
            bio?: string | null;
            /** @description Four digits that distinguish users with the same username. */
            discriminator?: string;
            /** @description Email address. */
            email?: string;
            /** @description Proof that the new email address was verified. */
            email_token?: string;
            /** @description Display name. */
            global_name?: string | null;
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /**
             * Format: password
             * @description New password, 8 to 256 characters.
             */
            new_password?: string;
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Pronouns of the user. */
            pronouns?: string | null;
            /** @description Username. */
            username?: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        EditRoleInput: {
            /** @description Permissions of an administrator or an Admin API key. */
            acls?: string[];
            /** @description Name. */
            name?: string;
        };
        EditSettingsInput: {
            /** @description Settings of your own clients. The service stores them and does not read them. */
            custom?: {
                [key: string]: unknown;
            };
            /** @description Whether pages show IDs and developer tools. */
            developer_mode?: boolean;
            /** @description Whether the user accepts emails that are not about security. */
            email_notifications?: boolean;
            /**
             * @description Language, as a BCP 47 tag.
             * @enum {string}
             */
            locale?: "en-US" | "en-GB" | "ar" | "de" | "es-ES" | "fr" | "it" | "ja" | "ko" | "nl" | "pl" | "pt-BR" | "sv-SE" | "tr" | "uk" | "zh-CN";
            /** @description Whether a new IP address must be confirmed by email. */
            session_ip_authorization?: boolean;
            /**
             * @description Color scheme of pages.
             * @enum {string}
             */
            theme?: "system" | "light" | "dark";
        };
        EditWebhookInput: {
            /**
             * Format: byte
             * @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none.
             */
            avatar?: string | null;
            /** @description Name. */
            name?: string;
        };
        EmailBounceInput: {
            /** @description Whether emails to this address bounced. */
            bounced: boolean;
        };
        EnableTotpInput: {
            /** @description Code. In error responses: the stable error code. */
            code: string;
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /**
             * @description Secret of the authenticator app, in Base32.
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            secret: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        EndpointView: {
            /** @description Time of creation. */
            created_at: string;
            /** @description Text that describes it. */
            description: string;
            /** @description Who disabled the event endpoint: an administrator, or its response 410. */
            disabled_by: ("administrator" | "receiver") | null;
            /** @description Types of events, such as `account.created`. */
            event_types: string[];
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Whether the event endpoint is disabled, so that no event is sent to it. */
            is_disabled: boolean;
            /** @description Until when the previous signing secret also signs, or `null`. */
            previous_secret_expires_at: string | null;
            /** @description URL. */
            url: string;
        };
        EndSessionsInput: {
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Hashes of the session IDs. */
            session_id_hashes: string[];
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        EntryView: {
            /** @description Time of creation. */
            created_at: string;
            /** @description ID of the administrator who created it. */
            created_by_user_id: string | null;
            /** @description Time at which it expires. Null: never. */
            expires_at: string | null;
            /**
             * @description Kind of the entry.
             * @enum {string}
             */
            kind: "permanent" | "temporary_24h";
            /**
             * @description Reason.
             * @enum {string}
             */
            reason: "automatic" | "platform_admin_enforcement";
            /** @description Facts that led to the ban. */
            signals: components["schemas"]["BanSignals"] | null;
            /** @description IP address or CIDR range. */
            value: string;
        };
        EventView: {
            /** @description Time of the event. */
            at: string;
            /** @description Device and program of the request. */
            client: {
                /** @description Name of the browser. */
                browser: string | null;
                /** @description Place. Always null. */
                location: null;
                /** @description IP address with its end hidden. */
                masked_ip: string | null;
                /** @description Operating system. */
                os: string | null;
                /** @description Program. */
                platform: string | null;
            } | null;
            /** @description Facts that depend on the type. */
            data: {
                [key: string]: unknown;
            };
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Hash of the session ID. */
            session_id_hash?: string;
            /** @description Type. */
            type: string;
            /** @description Texts by language. */
            words?: components["schemas"]["LocalizedText"];
        };
        /** @description A guard of the route with its result. */
        ExplainedRow: {
            /** @description Codes that the guard can return, including those of extensions. */
            codes: string[];
            /** @description `passes`, `refuses`, `depends` or `unreached`. */
            judgement: components["schemas"]["StepResult"];
            /** @description The ID of the guard. */
            row: string;
        };
        ExplainInput: {
            /** @description Permissions of an administrator or an Admin API key. */
            acls?: string[];
            /**
             * @description Kind of credential.
             * @enum {string}
             */
            credential?: "none" | "session" | "bot" | "bearer" | "admin-bearer" | "admin-key";
            /** @description Permissions of the Admin API key. */
            key_acls?: string[];
            /**
             * @description HTTP method.
             * @enum {string}
             */
            method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * @description Path of the route, or of the invalid member.
             * @example /v1/users/@me
             */
            path: string;
            /** @description OAuth2 scopes. */
            scopes?: string[];
            /** @description Whether single sign-on is assumed to be required. */
            sso_enforced?: boolean;
            /** @description Requirements that the user must meet, as a bit field. */
            suspicious_activity_flags?: number;
        };
        ForgotInput: {
            /**
             * Format: email
             * @description Email address.
             */
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
            /**
             * @description Whether the token is valid.
             * @constant
             */
            active: false;
        };
        InstanceConfigInput: {
            /** @description Values that pages show without a credential. */
            app_public?: Record<string, never>;
            /** @description Registration of new users. */
            registration?: Record<string, never>;
            /** @description Single sign-on. */
            sso?: Record<string, never>;
        };
        KeyView: {
            /** @description Permissions of an administrator or an Admin API key. */
            acls: string[];
            /** @description Time of creation. */
            created_at: string;
            /** @description ID of the administrator who created it. */
            created_by_user_id: string;
            /** @description Time at which it expires. Null: never. */
            expires_at: string | null;
            /** @description ID of the key. */
            key_id: string;
            /** @description Time of the last use. Null: never. */
            last_used_at: string | null;
            /** @description Name. */
            name: string;
        };
        LeakedCredentialsInput: {
            /** @description Leaked credentials. */
            credentials: string[];
        };
        LinkSsoInput: {
            /** @description Subject: of a message, or the user ID at the identity provider. */
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
            /** @description English text. */
            "en-US": string;
        } & {
            [key: string]: string;
        };
        LockdownInput: {
            /** @description Kinds of credentials to revoke. */
            include?: ("bot_tokens" | "grants" | "webhook_tokens" | "admin_keys" | "sessions")[];
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        LockdownResult: {
            /** @description Revoked credentials by kind, or whether a session ended. */
            ended: components["schemas"]["RevokedCounts"];
            /** @description Recommended next steps. */
            next: components["schemas"]["NextStep"][];
        };
        LockdownTokenInput: {
            /** @description Token. It is shown only once. */
            token: string;
        };
        LoginInput: {
            /**
             * Format: email
             * @description Email address.
             */
            email: string;
            /**
             * Format: password
             * @description Password of the account.
             */
            password: string;
        };
        LoginTotpInput: {
            /** @description Code. In error responses: the stable error code. */
            code: string;
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
        };
        LoginWebAuthnInput: {
            /** @description Challenge to sign, in Base64url. */
            challenge: string;
            /** @description Response of the authenticator (WebAuthn). */
            response: Record<string, never>;
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
        };
        LogoutInput: {
            /**
             * Format: int64
             * @description Client ID: the ID of the application.
             * @example 1501314428688998182
             */
            client_id?: string;
            /** @description Whether the user must confirm, or has confirmed. */
            confirm?: boolean;
            /** @description ID token of the user, as a hint. */
            id_token_hint?: string;
            /** @description Hint about the user who signs out. */
            logout_hint?: string;
            /** @description URL to which the user returns. */
            post_logout_redirect_uri?: string;
            /** @description State. In OAuth2 requests: a value that is returned unchanged. */
            state?: string;
            /** @description Preferred languages, separated by spaces. */
            ui_locales?: string;
        };
        /** @description The outcome of a logout request. */
        LogoutResult: {
            /** @description The application that requests the logout, if it is known. */
            application?: {
                /** @description ID, as a decimal string of a 64-bit number. */
                id: string;
                /** @description Name. */
                name: string;
            };
            /** @description Whether the user must confirm. */
            confirm: boolean;
            /** @description Whether the calling session has ended. */
            ended: boolean;
            /** @description Where to continue. */
            redirect_to?: string;
        };
        MailedCodeInput: {
            /** @description Code. In error responses: the stable error code. */
            code: string;
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
        };
        MailTicketInput: {
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
        };
        MessageView: {
            /** @description ID of the application. */
            application_id: string | null;
            /** @description Files of the message or upload. */
            attachments: components["schemas"]["AttachmentView"][];
            /** @description The sender of the message. */
            author: {
                /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
                avatar: string | null;
                /** @description URL of an avatar for this message only. */
                avatar_url: string | null;
                /** @description The bot of the application, or whether the account is a bot. */
                bot: boolean;
                /** @description Four digits that distinguish users with the same username. */
                discriminator: string;
                /** @description Flags, as a bit field. */
                flags: number;
                /** @description ID, as a decimal string of a 64-bit number. */
                id: string;
                /** @description Username. */
                username: string;
            };
            /** @description Text of the message. */
            content: string;
            /** @description Time of the last edit. */
            edited_timestamp: string | null;
            /** @description Embeds of the message, at most 10. */
            embeds: {
                [key: string]: unknown;
            }[];
            /** @description Flags, as a bit field. */
            flags: number;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Value that binds the response to the request. */
            nonce?: number | string;
            /** @description Time of the message. */
            timestamp: string;
            /** @description Type. */
            type: number;
            /** @description ID of the webhook. */
            webhook_id: string;
        };
        /** @description The MFA challenge in a response (auth.md section 3). */
        MfaChallenge: {
            /** @description Second factors that the account can use. */
            allowed_methods: string[];
            /** @description Backup codes, or whether the account has unused ones. */
            backup_codes: boolean;
            /**
             * @description Always true: a second factor is required.
             * @constant
             */
            mfa: true;
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
            /** @description Whether the account has an authenticator app. */
            totp: boolean;
            /** @description Whether the account has a passkey. */
            webauthn: boolean;
        };
        /**
         * @description What the account owner has to do next.
         * @enum {string}
         */
        NextStep: "change_password" | "check_email" | "reset_password" | "sign_in_sso";
        PartialUserView: {
            /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
            avatar: string | null;
            /** @description Dominant color of the avatar, as a number 0xRRGGBB. */
            avatar_color: number | null;
            /**
             * @description The bot of the application, or whether the account is a bot.
             * @constant
             */
            bot?: true;
            /** @description Four digits that distinguish users with the same username. */
            discriminator: string;
            /** @description Flags, as a bit field. */
            flags: number;
            /** @description Display name. */
            global_name: string | null;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /**
             * @description Whether the account belongs to the platform.
             * @constant
             */
            system?: true;
            /** @description Username. */
            username: string;
        };
        PasskeyView: {
            /** @description Time of creation. */
            created_at: string;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Time of the last use. Null: never. */
            last_used_at: string | null;
            /** @description Name. */
            name: string;
        };
        PhoneCodeInput: {
            /** @description Code. In error responses: the stable error code. */
            code: string;
            /**
             * @description Phone number in E.164 format.
             * @example +491701234567
             */
            phone: string;
        };
        PhoneInput: {
            /**
             * @description Phone number in E.164 format.
             * @example +491701234567
             */
            phone: string;
        };
        PhoneVerificationInput: {
            /** @description Whether the account has a verified phone number. */
            has_verified_phone: boolean;
        };
        PlanInput: {
            /** @description Files of the message or upload. */
            attachments: {
                /** @description Media type of the file. */
                content_type: string;
                /** @description Size of the file, in bytes. */
                file_size: number;
                /** @description Name of the file. */
                filename: string;
                /** @description ID, as a decimal string of a 64-bit number. */
                id: number;
            }[];
        };
        PrivateUserView: {
            /** @description Accent color of the profile, as a number 0xRRGGBB. */
            accent_color: number | null;
            /** @description Permissions of an administrator or an Admin API key. */
            acls: string[];
            /** @description Second factors of the account: 0 authenticator app, 2 passkey. */
            authenticator_types?: number[];
            /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
            avatar: string | null;
            /** @description Dominant color of the avatar, as a number 0xRRGGBB. */
            avatar_color: number | null;
            /** @description Banner of the profile: a hash in responses, a data URL or Base64 in requests. Null: none. */
            banner: string | null;
            /** @description Text of the profile. */
            bio: string | null;
            /**
             * @description The bot of the application, or whether the account is a bot.
             * @constant
             */
            bot?: true;
            /** @description Time of creation. */
            created_at: string;
            /** @description Four digits that distinguish users with the same username. */
            discriminator: string;
            /** @description Email address. */
            email: string | null;
            /**
             * @description Whether emails to the address bounced.
             * @constant
             */
            email_bounced?: true;
            /** @description Flags, as a bit field. */
            flags: number;
            /** @description Display name. */
            global_name: string | null;
            /** @description Whether the account has a verified phone number. */
            has_verified_phone: boolean;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Language, as a BCP 47 tag. */
            locale: string;
            /** @description Whether the account has a second factor. */
            mfa_enabled: boolean;
            /** @description Time of the last change of the password. */
            password_last_changed_at: string | null;
            /** @description Phone number in E.164 format. */
            phone: null;
            /** @description Pronouns of the user. */
            pronouns: string | null;
            /** @description Actions that the user must take before other requests. */
            required_actions: ("REQUIRE_REVERIFIED_EMAIL" | "REQUIRE_REVERIFIED_EMAIL_OR_REVERIFIED_PHONE" | "REQUIRE_REVERIFIED_EMAIL_OR_VERIFIED_PHONE" | "REQUIRE_REVERIFIED_PHONE" | "REQUIRE_VERIFIED_EMAIL" | "REQUIRE_VERIFIED_EMAIL_OR_REVERIFIED_PHONE" | "REQUIRE_VERIFIED_EMAIL_OR_VERIFIED_PHONE" | "REQUIRE_VERIFIED_PHONE")[];
            /**
             * @description Whether the account belongs to the platform.
             * @constant
             */
            system?: true;
            /** @description Time at which the user agreed to the terms. */
            terms_agreed_at: string | null;
            /** @description Traits of the account, set by administrators. */
            traits: string[];
            /** @description Username. */
            username: string;
            /** @description Whether the email address or phone number is verified. */
            verified: boolean;
        };
        PublicApplicationView: {
            /** @description The bot of the application, or whether the account is a bot. */
            bot: components["schemas"]["BotProfileView"] | null;
            /** @description Whether users other than the owner can add the bot. */
            bot_public: boolean;
            /** @description The signed-in user, if any. */
            current_user: components["schemas"]["PartialUserView"] | null;
            /** @description Text that describes it. */
            description: string | null;
            /** @description Icon of the application, as a hash. Null: none. */
            icon: string | null;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Name. */
            name: string;
            /** @description Registered redirect URIs. */
            redirect_uris: string[];
            /** @description OAuth2 scopes. */
            scopes: string[];
            /** @description Scopes that need no consent of the user. */
            trusted_scopes: string[];
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
            /** @description Code that the page returns to the application that started the ceremony. */
            completion_code: string;
            /** @description Value that binds the response to the request. */
            nonce: string;
        };
        RegenerateInput: {
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
            /** @description Proof that the code from the email was correct. */
            verification_proof: string;
        };
        Registered: components["schemas"]["AwaitsApproval"] | components["schemas"]["TokenResponse"] | {
            /**
             * @description Always true: the user must verify the email address.
             * @constant
             */
            registration_pending_verification: true;
        };
        RegisterInput: {
            /** @description Whether the user agrees to the terms. */
            consent?: boolean;
            /**
             * Format: email
             * @description Email address.
             */
            email?: string;
            /** @description Display name. */
            global_name?: string;
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /**
             * @description Color scheme of pages.
             * @enum {string}
             */
            theme?: "system" | "light" | "dark";
            /** @description Username. */
            username?: string;
        };
        RegisterPasskeyInput: {
            /** @description Challenge to sign, in Base64url. */
            challenge: string;
            /** @description Name. */
            name: string;
            /** @description Response of the authenticator (WebAuthn). */
            response: Record<string, never>;
        };
        RegistrationOptionsInput: {
            /**
             * @description `conditional` for passkeys in the autofill of the browser.
             * @enum {string}
             */
            mediation?: "conditional";
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        RenamePasskeyInput: {
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /** @description Name. */
            name: string;
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        RenamePersonalTokenInput: {
            /** @description Name. */
            name: string;
        };
        ReplayFailedInput: {
            /**
             * Format: date-time
             * @description Time. Deliveries that failed since then are sent again.
             */
            since: string;
        };
        ReplicaView: {
            /** @description Delay of the event loop, in milliseconds. */
            event_loop_delay_ms: number;
            /** @description Number of open gateway connections. */
            gateway_sockets: number;
            /** @description Number of error responses by code. */
            refusals: {
                [key: string]: number;
            };
            /** @description Number of requests. */
            requests: number;
            /** @description Requests per second. */
            requests_per_second: number;
            /** @description Time of the last report of the process. */
            seen_at: string;
            /** @description Number of sign-ins. */
            sign_ins: number;
            /** @description Time at which the process started. */
            started_at: string;
            /** @description Version. */
            version: string;
            /** @description Number of the process. */
            worker_id: number;
        };
        RequestNewEmailInput: {
            /**
             * Format: email
             * @description New email address.
             */
            new_email: string;
            /** @description Proof that the user can read emails at the current address. */
            original_proof: string;
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
        };
        ResetInput: {
            /**
             * Format: password
             * @description Password of the account.
             */
            password: string;
            /** @description Token. It is shown only once. */
            token: string;
        };
        RevertEmailInput: {
            /**
             * Format: password
             * @description Password of the account.
             */
            password: string;
            /** @description Token. It is shown only once. */
            token: string;
        };
        RevokeAuthorizationsInput: {
            /** @description IDs of the applications. */
            application_ids: string[];
        };
        /** @description Number of revoked items of each kind. */
        RevokedCounts: {
            /** @description Number of revoked Admin API keys. */
            admin_keys: number;
            /** @description Number of revoked bot tokens. */
            bot_tokens: number;
            /** @description Number of revoked OAuth2 grants. */
            grants: number;
            /** @description Sessions, or the number of ended sessions. */
            sessions: number;
            /** @description Number of rotated webhook tokens. */
            webhook_tokens: number;
        };
        RotatedSession: {
            /** @description Hash of the session ID. Matches an item of the session list. */
            auth_session_id_hash: string;
            /** @description Token. It is shown only once. */
            token: string;
        };
        RouteView: {
            /**
             * @description Kind of request body that the route reads.
             * @enum {string}
             */
            body: "form" | "json" | "none" | "raw";
            /** @description Maximum size of the body, in bytes. */
            body_limit: number | null;
            /** @description Name of the handler in the code. */
            handler: string;
            /** @description HTTP method. */
            method: string;
            /** @description Path of the route, or of the invalid member. */
            path: string;
            /** @description Access policy of the route. */
            policy: string;
        };
        SetAclsInput: {
            /** @description Permissions of an administrator or an Admin API key. */
            acls: string[];
        };
        SetEmailInput: {
            /**
             * Format: email
             * @description Email address.
             */
            email: string;
        };
        SettingsView: {
            /** @description Settings of your own clients. The service stores them and does not read them. */
            custom: {
                [key: string]: unknown;
            };
            /** @description Whether pages show IDs and developer tools. */
            developer_mode: boolean;
            /** @description Whether the user accepts emails that are not about security. */
            email_notifications: boolean;
            /** @description Language, as a BCP 47 tag. */
            locale: string;
            /** @description Whether a new IP address must be confirmed by email. */
            session_ip_authorization: boolean;
            /**
             * @description Color scheme of pages.
             * @enum {string}
             */
            theme: "dark" | "light" | "system";
        };
        SetTraitsInput: {
            /** @description Traits of the account, set by administrators. */
            traits: "captcha_exempt"[];
        };
        SetupInput: {
            /** @description Token. It is shown only once. */
            token: string;
        };
        /** @description A URL of external media at this service. `expires_at` is `null` if the URL is valid as long as its secret. */
        SignedUrl: {
            /** @description Time at which it expires. Null: never. */
            expires_at: string | null;
            /** @description Signed URL of the external media. */
            proxy_url: string;
        };
        SignInput: {
            /** @description Lifetime in seconds. */
            expires_in?: number;
            /**
             * Format: uri
             * @description URL.
             */
            url: string;
        };
        SsoCheck: {
            /** @description A text for users. It contains no secrets and no content from the provider. */
            detail: string;
            /**
             * @description Name.
             * @enum {string}
             */
            name: "algorithms" | "discovery" | "endpoints" | "jwks";
            /** @description Whether the check succeeded. */
            ok: boolean;
        };
        SsoTrialResult: {
            /** @description Results of the single checks. */
            checks: components["schemas"]["SsoCheck"][];
            /** @description URL that identifies the issuer. */
            issuer: string | null;
            /** @description Whether the check succeeded. */
            ok: boolean;
        };
        StartBridgeInput: {
            /**
             * @description SHA-256 hash of a random value that the client keeps.
             * @example aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
             */
            nonce_hash: string;
            /**
             * @description Purpose of the ceremony.
             * @enum {string}
             */
            purpose: "login" | "login_mfa";
            /**
             * @description Program that runs the ceremony.
             * @enum {string}
             */
            runner: "page" | "native";
            /** @description Ticket that connects the steps of an operation. */
            ticket?: string;
        };
        StartConnectionInput: {
            /**
             * @description SHA-256 hash of a random value that the client keeps.
             * @example aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
             */
            nonce_hash: string;
            /**
             * @description Values of `prompt`, separated by spaces.
             * @enum {string}
             */
            prompt?: "login";
            /** @description URL to which the browser must go next. */
            redirect_to?: string | null;
            /** @description Redirect URI. */
            redirect_uri?: string | null;
        };
        StartLinkInput: {
            /**
             * @description ID of the connection.
             * @example google
             */
            connection_id: string;
            /**
             * @description SHA-256 hash of a random value that the client keeps.
             * @example aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
             */
            nonce_hash: string;
            /** @description Redirect URI. */
            redirect_uri?: string | null;
        };
        StartSsoInput: {
            /** @description SHA-256 hash of a random value that the client keeps. */
            nonce_hash?: string | null;
            /**
             * @description Values of `prompt`, separated by spaces.
             * @enum {string}
             */
            prompt?: "login";
            /** @description URL to which the browser must go next. */
            redirect_to?: string | null;
            /** @description Redirect URI. */
            redirect_uri?: string | null;
        };
        StartSudoBridgeInput: {
            /**
             * @description SHA-256 hash of a random value that the client keeps.
             * @example aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
             */
            nonce_hash: string;
            /**
             * @description Program that runs the ceremony.
             * @enum {string}
             */
            runner: "page" | "native";
        };
        /**
         * @description `depends`: on the request, the IP address or stored data. `unreached`: an earlier guard rejects the call.
         * @enum {string}
         */
        StepResult: "depends" | "passes" | "refuses" | "unreached";
        SudoInput: {
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        SuggestionsInput: {
            /** @description Display name. */
            global_name: string;
        };
        SuspicionInput: {
            /** @description Flags, as a bit field. */
            flags: number;
        };
        TicketInput: {
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
        };
        TokenInput: {
            /** @description Token. It is shown only once. */
            token: string;
        };
        TokenResponse: {
            /**
             * @description What the sign-in ended: a disablement by the user or a scheduled deletion.
             * @enum {string}
             */
            reactivated?: "deletion" | "disabled";
            /** @description Token. It is shown only once. */
            token: string;
            /** @description The user. */
            user: components["schemas"]["PartialUserView"];
            /** @description Account ID. */
            user_id: string;
        };
        TokenView: {
            /** @description ID of the application. */
            application_id: string | null;
            /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
            avatar: string | null;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Name. */
            name: string;
        };
        TwoFactorInput: {
            /** @description Whether it is turned on. */
            enabled: boolean;
            /** @description Code of the authenticator app, or a backup code. */
            mfa_code?: string;
            /**
             * @description Second factor that the request contains.
             * @enum {string}
             */
            mfa_method?: "totp" | "webauthn";
            /**
             * Format: password
             * @description Password of the account.
             */
            password?: string;
            /** @description Challenge that the passkey signed. */
            webauthn_challenge?: string;
            /** @description Response of the authenticator (WebAuthn). */
            webauthn_response?: Record<string, never>;
        };
        UnlinkSsoInput: {
            /**
             * @description ID of the connection.
             * @example google
             */
            connection_id?: string | null;
        };
        /** @description Claims about a user. Claims without a value are absent. Times are in seconds since 1970. */
        UserClaims: {
            /** @description Only while the email address is verified. */
            email?: string;
            /** @description Whether the email address is verified. */
            email_verified?: boolean;
            /** @description Language, as a BCP 47 tag. */
            locale?: string;
            /** @description Name. */
            name?: string;
            /** @description Absolute URL of the avatar. */
            picture?: string;
            /** @description Username and discriminator, because only both together are unique. */
            preferred_username?: string;
            /** @description Account ID. */
            sub: string;
            /** @description Time of the last change, in Unix seconds. */
            updated_at?: number;
        };
        UserInfoView: {
            /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
            avatar: string | null;
            /** @description Dominant color of the avatar, as a number 0xRRGGBB. */
            avatar_color: number | null;
            /** @description The bot of the application, or whether the account is a bot. */
            bot: boolean;
            /** @description Four digits that distinguish users with the same username. */
            discriminator: string;
            /** @description Email address. */
            email: string | null;
            /** @description Flags, as a bit field. */
            flags: number;
            /** @description Display name. */
            global_name: string | null;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Account ID. */
            sub: string;
            /** @description Whether the account belongs to the platform. */
            system: boolean;
            /** @description Username. */
            username: string;
            /** @description Whether the email address or phone number is verified. */
            verified?: boolean;
        };
        VerifyNewEmailInput: {
            /** @description Code. In error responses: the stable error code. */
            code: string;
            /** @description Proof that the user can read emails at the current address. */
            original_proof: string;
            /** @description Ticket that connects the steps of an operation. */
            ticket: string;
        };
        /** @enum {string} */
        WebhookAction: "create" | "delete" | "rotate" | "update";
        WebhookView: {
            /** @description ID of the application. */
            application_id: string | null;
            /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
            avatar: string | null;
            /** @description Time of creation. */
            created_at: string;
            /** @description ID, as a decimal string of a 64-bit number. */
            id: string;
            /** @description Name. */
            name: string;
            /** @description The user. */
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
            /** @description A file of type text/html */
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
            /** @description An object with `keys` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Public keys. */
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
            /** @description An object with `issuer`, `authorization_endpoint`, `token_endpoint`, `introspection_endpoint`, `revocation_endpoint`, `userinfo_endpoint`, `scopes_supported`, `scope_descriptions`, `response_types_supported`, `response_modes_supported`, `grant_types_supported`, `code_challenge_methods_supported`, `token_endpoint_auth_methods_supported`, `revocation_endpoint_auth_methods_supported`, `introspection_endpoint_auth_methods_supported`, `authorization_response_iss_parameter_supported` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description URL of the authorization endpoint (RFC 8414). */
                        authorization_endpoint: string;
                        /** @description Whether authorization responses contain `iss` (RFC 9207). */
                        authorization_response_iss_parameter_supported: boolean;
                        /** @description Supported PKCE methods. */
                        code_challenge_methods_supported: string[];
                        /** @description Supported OAuth2 grant types. */
                        grant_types_supported: string[];
                        /** @description URL of the introspection endpoint (RFC 7662). */
                        introspection_endpoint: string;
                        /** @description Authentication methods of the introspection endpoint. */
                        introspection_endpoint_auth_methods_supported: string[];
                        /** @description URL that identifies the issuer. */
                        issuer: string;
                        /** @description Supported response modes. */
                        response_modes_supported: string[];
                        /** @description Supported response types. */
                        response_types_supported: string[];
                        /** @description URL of the revocation endpoint (RFC 7009). */
                        revocation_endpoint: string;
                        /** @description Authentication methods of the revocation endpoint. */
                        revocation_endpoint_auth_methods_supported: string[];
                        /** @description Texts of the scopes by language. */
                        scope_descriptions: {
                            [key: string]: components["schemas"]["LocalizedText"];
                        };
                        /** @description Supported OAuth2 scopes. */
                        scopes_supported: string[];
                        /** @description URL of the token endpoint (RFC 6749). */
                        token_endpoint: string;
                        /** @description Authentication methods of the token endpoint. */
                        token_endpoint_auth_methods_supported: string[];
                        /** @description URL of the userinfo endpoint. */
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
            /** @description An object with `userinfo_endpoint`, `end_session_endpoint`, `jwks_uri`, `subject_types_supported`, `id_token_signing_alg_values_supported`, `claims_supported`, `acr_values_supported`, `prompt_values_supported`, `ui_locales_supported`, `claim_types_supported`, `claims_parameter_supported`, `request_parameter_supported`, `request_uri_parameter_supported`, `backchannel_logout_supported`, `backchannel_logout_session_supported`, `issuer`, `authorization_endpoint`, `token_endpoint`, `introspection_endpoint`, `revocation_endpoint`, `scopes_supported`, `scope_descriptions`, `response_types_supported`, `response_modes_supported`, `grant_types_supported`, `code_challenge_methods_supported`, `token_endpoint_auth_methods_supported`, `revocation_endpoint_auth_methods_supported`, `introspection_endpoint_auth_methods_supported`, `authorization_response_iss_parameter_supported` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Supported authentication levels. */
                        acr_values_supported: string[];
                        /** @description URL of the authorization endpoint (RFC 8414). */
                        authorization_endpoint: string;
                        /** @description Whether authorization responses contain `iss` (RFC 9207). */
                        authorization_response_iss_parameter_supported: boolean;
                        /** @description Whether logout tokens contain the session ID. */
                        backchannel_logout_session_supported: boolean;
                        /** @description Whether the service sends logout tokens. */
                        backchannel_logout_supported: boolean;
                        /** @description Supported claim types (OpenID Connect Discovery). */
                        claim_types_supported: string[];
                        /** @description Whether the `claims` parameter is supported. */
                        claims_parameter_supported: boolean;
                        /** @description Claims that ID tokens and userinfo can contain. */
                        claims_supported: string[];
                        /** @description Supported PKCE methods. */
                        code_challenge_methods_supported: string[];
                        /** @description URL of the sign-out page. */
                        end_session_endpoint: string;
                        /** @description Supported OAuth2 grant types. */
                        grant_types_supported: string[];
                        /** @description Supported signing algorithms of ID tokens. */
                        id_token_signing_alg_values_supported: ("ES256" | "EdDSA" | "RS256")[];
                        /** @description URL of the introspection endpoint (RFC 7662). */
                        introspection_endpoint: string;
                        /** @description Authentication methods of the introspection endpoint. */
                        introspection_endpoint_auth_methods_supported: string[];
                        /** @description URL that identifies the issuer. */
                        issuer: string;
                        /** @description URL of the key set. */
                        jwks_uri: string;
                        /** @description Supported values of `prompt`. */
                        prompt_values_supported: ("consent" | "login" | "none" | "select_account")[];
                        /** @description Whether the `request` parameter is supported. */
                        request_parameter_supported: boolean;
                        /** @description Whether the `request_uri` parameter is supported. */
                        request_uri_parameter_supported: boolean;
                        /** @description Supported response modes. */
                        response_modes_supported: string[];
                        /** @description Supported response types. */
                        response_types_supported: string[];
                        /** @description URL of the revocation endpoint (RFC 7009). */
                        revocation_endpoint: string;
                        /** @description Authentication methods of the revocation endpoint. */
                        revocation_endpoint_auth_methods_supported: string[];
                        /** @description Texts of the scopes by language. */
                        scope_descriptions: {
                            [key: string]: components["schemas"]["LocalizedText"];
                        };
                        /** @description Supported OAuth2 scopes. */
                        scopes_supported: string[];
                        /** @description Supported subject types. */
                        subject_types_supported: string[];
                        /** @description URL of the token endpoint (RFC 6749). */
                        token_endpoint: string;
                        /** @description Authentication methods of the token endpoint. */
                        token_endpoint_auth_methods_supported: string[];
                        /** @description Languages of the pages. */
                        ui_locales_supported: ("ar" | "de" | "en-US" | "es-ES" | "fr" | "ja" | "pt-BR")[];
                        /** @description URL of the userinfo endpoint. */
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
            /** @description An object with `enroll`, `manage` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description URL of the page that adds a passkey. */
                        enroll: string;
                        /** @description URL of the page that lists passkeys. */
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
            /** @description A file of type text/plain */
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
            /** @description An object with `registration`, `features`, `legal`, `credential_patterns`, `locales`, `limits`, `connections`, `api_version`, `product_name`, `endpoints`, `captcha`, `sso` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Version of the API. */
                        api_version: string;
                        /** @description Captcha of the instance. */
                        captcha: {
                            /** @description Site key of hCaptcha. */
                            hcaptcha_site_key: string | null;
                            /** @description Captcha provider. In a list of accounts: ID of a connection, or `sso`. */
                            provider: components["schemas"]["CaptchaProvider"];
                            /** @description Site key of Turnstile. */
                            turnstile_site_key: string | null;
                        };
                        /** @description Identity providers that users can sign in with, in the order of their buttons. */
                        connections: {
                            /** @description Name that pages show. */
                            display_name: string;
                            /** @description Icon of the application, as a hash. Null: none. */
                            icon: string;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /**
                             * @description Kind of the entry.
                             * @enum {string}
                             */
                            kind: "discord" | "github" | "gitlab" | "google" | "microsoft" | "oauth2" | "oidc";
                        }[];
                        /** @description Patterns of all credentials, for secret scanners. */
                        credential_patterns: {
                            /** @description Pattern of Admin API keys, as a regular expression. */
                            admin_key: string;
                            /** @description The bot of the application, or whether the account is a bot. */
                            bot: string;
                            /** @description Pattern of OAuth2 access tokens. */
                            oauth2_access: string;
                            /** @description Pattern of OAuth2 refresh tokens. */
                            oauth2_refresh: string;
                            /** @description Regular expression of personal access tokens, for secret scanners. */
                            personal_access_token: string;
                            /** @description Pattern of session tokens. */
                            session: string;
                            /**
                             * @description Pattern of webhook tokens.
                             * @constant
                             */
                            webhook: "/v1/webhooks/(0|[1-9][0-9]{0,18})/[A-Za-z0-9]{64}";
                        };
                        /** @description URLs of the service. */
                        endpoints: {
                            /** @description Base URL of the API. */
                            api: string;
                            /** @description URL of the real-time gateway. */
                            gateway: string;
                            /** @description Base URL of media. */
                            media: string;
                            /** @description Issuer of the OAuth2 provider. */
                            oauth2_issuer: string;
                            /** @description URL of the web pages. */
                            webapp: string;
                        };
                        /** @description Features that are turned on. */
                        features: {
                            /** @description Email address. */
                            email: boolean;
                            /** @description Whether the passkey bridge is available. */
                            passkey_bridge: boolean;
                            /** @description Whether text messages can be sent. */
                            sms: boolean;
                            /** @description Uploads, or whether uploads are turned on. */
                            uploads: boolean;
                        };
                        /** @description URLs of terms and privacy policy. */
                        legal: {
                            /** @description URL of the privacy policy. */
                            privacy_url: string | null;
                            /** @description URL of the terms. */
                            terms_url: string | null;
                        };
                        /** @description Limits of the instance. */
                        limits: {
                            /** @description Applications. */
                            applications: number;
                            /** @description Maximum size of a JSON body, in bytes. */
                            json_body_bytes: number;
                            /** @description Maximum number of passkeys of an account. */
                            passkeys: number;
                            /** @description Maximum size of an upload, in bytes. */
                            upload_bytes: number;
                            /** @description Maximum length of the content of a webhook message. */
                            webhook_content: number;
                            /** @description Maximum number of embeds of a webhook message. */
                            webhook_embeds: number;
                            /** @description Maximum number of files of a webhook message. */
                            webhook_files: number;
                            /** @description Maximum number of webhooks of an account. */
                            webhooks: number;
                        };
                        /** @description Languages of pages and emails. */
                        locales: string[];
                        /** @description Name of the product. */
                        product_name: string;
                        /** @description Registration of new users. */
                        registration: {
                            /**
                             * @description Mode.
                             * @enum {string}
                             */
                            mode: "approval" | "closed" | "open";
                        };
                        /** @description Single sign-on. */
                        sso: {
                            /** @description Name that pages show. */
                            display_name: string | null;
                            /** @description Whether it is turned on. */
                            enabled: boolean;
                            /** @description Whether single sign-on is required. */
                            enforced: boolean;
                            /** @description Redirect URI. */
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
            /** @description An object with `origins` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Origins that may use the passkeys of this service. */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/javascript, text/css, image/* */
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
            /** @description An object with members */
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
            /** @description A file of type text/html */
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
    pagesPageAuthConnectionsIdCallback: {
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `messages` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Messages, the newest first. */
                        messages: {
                            /**
                             * @description Channel of the message.
                             * @enum {string}
                             */
                            channel: "email" | "sms";
                            /** @description Time of creation. */
                            created_at: string;
                            /** @description HTML part of the message. */
                            html: string | null;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description Facts about the event or message. */
                            metadata: {
                                [key: string]: unknown;
                            };
                            /** @description Subject: of a message, or the user ID at the identity provider. */
                            subject: string | null;
                            /** @description Text. */
                            text: string;
                            /** @description Recipient. */
                            to: string;
                            /** @description Type. */
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
                kind?: "email_verification" | "password_reset" | "ip_authorization" | "email_change_revert" | "security_digest" | "account_deletion_scheduled" | "registration_existing_account" | "registration_approved" | "registration_rejected" | "email_change_original" | "email_change_new" | "password_change" | "backup_codes_challenge" | "mail_test" | "access_token_expiring" | "security_notice.password_changed" | "security_notice.password_reset" | "security_notice.email_reverted" | "security_notice.email_changed" | "security_notice.totp_enabled" | "security_notice.totp_disabled" | "security_notice.passkey_added" | "security_notice.passkey_removed" | "security_notice.second_factor_enabled" | "security_notice.second_factor_disabled" | "security_notice.backup_codes_regenerated" | "security_notice.mfa_disabled" | "security_notice.account_suspended" | "security_notice.account_reinstated" | "security_notice.suspicious_activity" | "security_notice.sso_linked" | "security_notice.sso_taken_over" | "security_notice.identity_linked" | "security_notice.identity_unlinked" | "security_notice.session_handed_over" | "security_notice.locked_down" | "security_notice.credential_leaked" | "security_notice.data_exported" | "security_notice.account_deletion_scheduled" | "security_notice.deletion_canceled" | "security_notice.account_disabled" | "security_notice.account_reactivated" | "security_notice.suspicious_activity_ended" | "security_notice.sso_identity_set" | "security_notice.sso_identity_removed" | "security_notice.permissions_changed" | "security_notice.access_token_created" | "security_notice.access_token_deleted" | "phone_verification";
                language?: "en-US" | "de" | "fr" | "es-ES" | "pt-BR" | "ja" | "ar";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file of type text/html */
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
                kind: "email_verification" | "password_reset" | "ip_authorization" | "email_change_revert" | "security_digest" | "account_deletion_scheduled" | "registration_existing_account" | "registration_approved" | "registration_rejected" | "email_change_original" | "email_change_new" | "password_change" | "backup_codes_challenge" | "mail_test" | "access_token_expiring" | "security_notice.password_changed" | "security_notice.password_reset" | "security_notice.email_reverted" | "security_notice.email_changed" | "security_notice.totp_enabled" | "security_notice.totp_disabled" | "security_notice.passkey_added" | "security_notice.passkey_removed" | "security_notice.second_factor_enabled" | "security_notice.second_factor_disabled" | "security_notice.backup_codes_regenerated" | "security_notice.mfa_disabled" | "security_notice.account_suspended" | "security_notice.account_reinstated" | "security_notice.suspicious_activity" | "security_notice.sso_linked" | "security_notice.sso_taken_over" | "security_notice.identity_linked" | "security_notice.identity_unlinked" | "security_notice.session_handed_over" | "security_notice.locked_down" | "security_notice.credential_leaked" | "security_notice.data_exported" | "security_notice.account_deletion_scheduled" | "security_notice.deletion_canceled" | "security_notice.account_disabled" | "security_notice.account_reactivated" | "security_notice.suspicious_activity_ended" | "security_notice.sso_identity_set" | "security_notice.sso_identity_removed" | "security_notice.permissions_changed" | "security_notice.access_token_created" | "security_notice.access_token_deleted" | "phone_verification";
                language: "en-US" | "de" | "fr" | "es-ES" | "pt-BR" | "ja" | "ar";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/css, text/javascript */
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
            /** @description A file of type image/x-icon */
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
            /** @description A file of type text/html */
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
            /** @description An object with members */
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
            /** @description A file of type text/html */
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
            /** @description An object with `status` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Status. */
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
            /** @description An object with `status` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Status. */
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
            /** @description A file of type text/html */
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
                /** @description All frames instead of only the first */
                animated?: "true" | "false" | "1" | "0";
                /** @description Send the file as an attachment */
                download?: "true" | "false" | "1" | "0";
                /** @description Format of the image. Default: the format of the source */
                format?: "png" | "jpg" | "jpeg" | "webp" | "gif" | "avif";
                /** @description Maximum height in pixels */
                height?: number;
                /** @description Quality of the image */
                quality?: "low" | "auto" | "high" | "lossless";
                /** @description Maximum width in pixels */
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
                /** @description All frames instead of only the first */
                animated?: "true" | "false" | "1" | "0";
                /** @description Format of the image */
                fmt?: "auto" | "png" | "jpg" | "jpeg" | "webp" | "gif" | "avif";
                /** @description Quality of the image */
                quality?: "low" | "auto" | "high" | "lossless";
                /** @description Pixels of the longer edge, rounded up to the next step */
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
                /** @description All frames instead of only the first */
                animated?: "true" | "false" | "1" | "0";
                /** @description Format of the image */
                fmt?: "auto" | "png" | "jpg" | "jpeg" | "webp" | "gif" | "avif";
                /** @description Quality of the image */
                quality?: "low" | "auto" | "high" | "lossless";
                /** @description Pixels of the longer edge, rounded up to the next step */
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
                /** @description All frames instead of only the first */
                animated?: "true" | "false" | "1" | "0";
                /** @description Send the file as an attachment */
                download?: "true" | "false" | "1" | "0";
                /** @description Format of the image. Default: the format of the source */
                format?: "png" | "jpg" | "jpeg" | "webp" | "gif" | "avif";
                /** @description Maximum height in pixels */
                height?: number;
                /** @description Quality of the image */
                quality?: "low" | "auto" | "high" | "lossless";
                /** @description Maximum width in pixels */
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
            /** @description A file of type text/plain */
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
            /** @description A file of type text/html */
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
    logoutPagePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file of type text/html */
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
    logoutOpen: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description Client ID: the ID of the application. */
                    client_id?: string;
                    /** @description ID token of the user, as a hint. */
                    id_token_hint?: string;
                    /** @description Hint about the user who signs out. */
                    logout_hint?: string;
                    /** @description URL to which the user returns. */
                    post_logout_redirect_uri?: string;
                    /** @description State. In OAuth2 requests: a value that is returned unchanged. */
                    state?: string;
                    /** @description Preferred languages, separated by spaces. */
                    ui_locales?: string;
                };
            };
        };
        responses: never;
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
            /** @description An object with members */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/html */
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
            /** @description A file of type text/plain */
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
            /** @description An object with `acls`, `operations`, `audit_actions`, `words` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Permissions of an administrator or an Admin API key. */
                        acls: string[];
                        /** @description Actions of the audit log, each with the type of its target. */
                        audit_actions: {
                            [key: string]: string;
                        };
                        /** @description Operations with their permissions. */
                        operations: {
                            /** @description Permissions of an administrator or an Admin API key. */
                            acls: string[];
                            /** @description HTTP method. */
                            method: string;
                            /**
                             * @description Mode.
                             * @enum {string}
                             */
                            mode: "all" | "any";
                            /** @description Path of the route, or of the invalid member. */
                            path: string;
                        }[];
                        /** @description Texts by language. */
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
            /** @description An array of `KeyView` objects */
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
            /** @description An object with `key_id`, `key`, `name`, `acls`, `created_at`, `expires_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Permissions of an administrator or an Admin API key. */
                        acls: string[];
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description Time at which it expires. Null: never. */
                        expires_at: string | null;
                        /** @description Admin API key. It is shown only once. */
                        key: string;
                        /** @description ID of the key. */
                        key_id: string;
                        /** @description Name. */
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
            /** @description An object of type `KeyView` */
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
            /** @description An object with `success` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Always true. */
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
            /** @description An object of type `KeyView` */
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
            /** @description An object with `applications` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Applications. */
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
            /** @description An object with `application` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The application. */
                        application: components["schemas"]["AdminApplicationView"] | null;
                    };
                };
            };
        };
    };
    adminApplicationsChange: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                application_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeApplicationInput"];
            };
        };
        responses: {
            /** @description An object with `application` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The application. */
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
            /** @description An object with `logs`, `total`, `chain` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description State of the hash chain of the audit log. */
                        chain: {
                            /** @description Number of the first entry whose hash does not match. */
                            broken_at: number | null;
                            /** @description Number of entries. */
                            entries: number | null;
                            /**
                             * @description State. In OAuth2 requests: a value that is returned unchanged.
                             * @enum {string}
                             */
                            state: "broken" | "intact" | "unverified";
                            /** @description Time of the last complete check. */
                            verified_at: string | null;
                        };
                        /** @description Entries of the audit log. */
                        logs: components["schemas"]["AuditEntryView"][];
                        /** @description Total. */
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
            /** @description An object of type `AuditEntryView` */
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
            /** @description An object with `items`, `has_more`, `next_after` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether more items follow. */
                        has_more: boolean;
                        /** @description Items of this page. */
                        items: components["schemas"]["EntryView"][];
                        /** @description Value of `after` for the next page. Null: last page. */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `banned`, `entry` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the account or the IP address is banned. */
                        banned: boolean;
                        /** @description The entry, or null. */
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
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    adminConnectionsList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `connections` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Identity providers that users can sign in with, in the order of their buttons. */
                        connections: {
                            /** @description Whether a sign-in creates an account if there is none. */
                            allow_sign_up: boolean;
                            /** @description Email domains that may sign in through the identity provider. Empty: all. */
                            allowed_domains: string[];
                            /** @description Authorization endpoint of the identity provider. */
                            authorization_url: string | null;
                            /** @description Members of the user information by fact. A value that starts with `/` is a JSON pointer. */
                            claims: {
                                /** @description Email address. */
                                email?: string;
                                /** @description Whether the email address is verified. */
                                email_verified?: string;
                                /** @description ID, as a decimal string of a 64-bit number. */
                                id?: string;
                                /** @description Name. */
                                name?: string;
                                /** @description Picture of the user. */
                                picture?: string;
                                /** @description Username. */
                                username?: string;
                            } | null;
                            /** @description Client ID: the ID of the application. */
                            client_id: string | null;
                            /** @description Whether a client secret is stored. */
                            client_secret_set: boolean;
                            /** @description Name that pages show. */
                            display_name: string;
                            /** @description URL of the list of email addresses of the user, of which the primary one is used. */
                            emails_url: string | null;
                            /** @description Whether it is turned on. */
                            enabled: boolean;
                            /** @description A kind, whose icon is shown, or the URL of an image. Default: the kind of the connection. */
                            icon: string | null;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description Identities at the identity provider. */
                            identities: number;
                            /** @description URL that identifies the issuer. */
                            issuer: string | null;
                            /** @description Key set of the identity provider. */
                            jwks_url: string | null;
                            /**
                             * @description Kind of the entry.
                             * @enum {string}
                             */
                            kind: "discord" | "github" | "gitlab" | "google" | "microsoft" | "oauth2" | "oidc";
                            /** @description Whether a sign-in links the identity to the account with the same verified email address. */
                            link_by_email: boolean;
                            /** @description Place among the buttons. Equal ones are in the order of creation. */
                            position: number;
                            /** @description Redirect URI. */
                            redirect_uri: string;
                            /** @description Whether an account with two-step verification must complete it after this sign-in. */
                            require_second_factor: boolean;
                            /** @description OAuth2 scopes, separated by spaces. */
                            scope: string | null;
                            /** @description Token endpoint of the identity provider. */
                            token_url: string | null;
                            /** @description Userinfo endpoint of the identity provider. */
                            userinfo_url: string | null;
                        }[];
                    };
                };
            };
        };
    };
    adminConnectionsCreate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateConnectionInput"];
            };
        };
        responses: {
            /** @description An object with `client_secret_set`, `redirect_uri`, `identities`, `display_name`, `icon`, `client_id`, `enabled`, `allow_sign_up`, `link_by_email`, `require_second_factor`, `allowed_domains`, `issuer`, `authorization_url`, `token_url`, `userinfo_url`, `jwks_url`, `emails_url`, `scope`, `claims`, `id`, `kind`, `position` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether a sign-in creates an account if there is none. */
                        allow_sign_up: boolean;
                        /** @description Email domains that may sign in through the identity provider. Empty: all. */
                        allowed_domains: string[];
                        /** @description Authorization endpoint of the identity provider. */
                        authorization_url: string | null;
                        /** @description Members of the user information by fact. A value that starts with `/` is a JSON pointer. */
                        claims: {
                            /** @description Email address. */
                            email?: string;
                            /** @description Whether the email address is verified. */
                            email_verified?: string;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id?: string;
                            /** @description Name. */
                            name?: string;
                            /** @description Picture of the user. */
                            picture?: string;
                            /** @description Username. */
                            username?: string;
                        } | null;
                        /** @description Client ID: the ID of the application. */
                        client_id: string | null;
                        /** @description Whether a client secret is stored. */
                        client_secret_set: boolean;
                        /** @description Name that pages show. */
                        display_name: string;
                        /** @description URL of the list of email addresses of the user, of which the primary one is used. */
                        emails_url: string | null;
                        /** @description Whether it is turned on. */
                        enabled: boolean;
                        /** @description A kind, whose icon is shown, or the URL of an image. Default: the kind of the connection. */
                        icon: string | null;
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Identities at the identity provider. */
                        identities: number;
                        /** @description URL that identifies the issuer. */
                        issuer: string | null;
                        /** @description Key set of the identity provider. */
                        jwks_url: string | null;
                        /**
                         * @description Kind of the entry.
                         * @enum {string}
                         */
                        kind: "discord" | "github" | "gitlab" | "google" | "microsoft" | "oauth2" | "oidc";
                        /** @description Whether a sign-in links the identity to the account with the same verified email address. */
                        link_by_email: boolean;
                        /** @description Place among the buttons. Equal ones are in the order of creation. */
                        position: number;
                        /** @description Redirect URI. */
                        redirect_uri: string;
                        /** @description Whether an account with two-step verification must complete it after this sign-in. */
                        require_second_factor: boolean;
                        /** @description OAuth2 scopes, separated by spaces. */
                        scope: string | null;
                        /** @description Token endpoint of the identity provider. */
                        token_url: string | null;
                        /** @description Userinfo endpoint of the identity provider. */
                        userinfo_url: string | null;
                    };
                };
            };
        };
    };
    adminConnectionsShow: {
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
            /** @description An object with `client_secret_set`, `redirect_uri`, `identities`, `display_name`, `icon`, `client_id`, `enabled`, `allow_sign_up`, `link_by_email`, `require_second_factor`, `allowed_domains`, `issuer`, `authorization_url`, `token_url`, `userinfo_url`, `jwks_url`, `emails_url`, `scope`, `claims`, `id`, `kind`, `position` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether a sign-in creates an account if there is none. */
                        allow_sign_up: boolean;
                        /** @description Email domains that may sign in through the identity provider. Empty: all. */
                        allowed_domains: string[];
                        /** @description Authorization endpoint of the identity provider. */
                        authorization_url: string | null;
                        /** @description Members of the user information by fact. A value that starts with `/` is a JSON pointer. */
                        claims: {
                            /** @description Email address. */
                            email?: string;
                            /** @description Whether the email address is verified. */
                            email_verified?: string;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id?: string;
                            /** @description Name. */
                            name?: string;
                            /** @description Picture of the user. */
                            picture?: string;
                            /** @description Username. */
                            username?: string;
                        } | null;
                        /** @description Client ID: the ID of the application. */
                        client_id: string | null;
                        /** @description Whether a client secret is stored. */
                        client_secret_set: boolean;
                        /** @description Name that pages show. */
                        display_name: string;
                        /** @description URL of the list of email addresses of the user, of which the primary one is used. */
                        emails_url: string | null;
                        /** @description Whether it is turned on. */
                        enabled: boolean;
                        /** @description A kind, whose icon is shown, or the URL of an image. Default: the kind of the connection. */
                        icon: string | null;
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Identities at the identity provider. */
                        identities: number;
                        /** @description URL that identifies the issuer. */
                        issuer: string | null;
                        /** @description Key set of the identity provider. */
                        jwks_url: string | null;
                        /**
                         * @description Kind of the entry.
                         * @enum {string}
                         */
                        kind: "discord" | "github" | "gitlab" | "google" | "microsoft" | "oauth2" | "oidc";
                        /** @description Whether a sign-in links the identity to the account with the same verified email address. */
                        link_by_email: boolean;
                        /** @description Place among the buttons. Equal ones are in the order of creation. */
                        position: number;
                        /** @description Redirect URI. */
                        redirect_uri: string;
                        /** @description Whether an account with two-step verification must complete it after this sign-in. */
                        require_second_factor: boolean;
                        /** @description OAuth2 scopes, separated by spaces. */
                        scope: string | null;
                        /** @description Token endpoint of the identity provider. */
                        token_url: string | null;
                        /** @description Userinfo endpoint of the identity provider. */
                        userinfo_url: string | null;
                    };
                };
            };
        };
    };
    adminConnectionsRemove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteConnectionInput"];
            };
        };
        responses: {
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    adminConnectionsEdit: {
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
                "application/json": components["schemas"]["EditConnectionInput"];
            };
        };
        responses: {
            /** @description An object of type `ChangedConnection` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedConnection"];
                };
            };
        };
    };
    adminConnectionsTryOut: {
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
            /** @description An object of type `SsoTrialResult` */
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
    eventEndpointsList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `event_endpoints` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Event endpoints, oldest first. */
                        event_endpoints: components["schemas"]["EndpointView"][];
                    };
                };
            };
        };
    };
    eventEndpointsCreate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEventEndpointInput"];
            };
        };
        responses: {
            /** @description An object with `secret`, `id`, `url`, `description`, `event_types`, `is_disabled`, `disabled_by`, `created_at`, `previous_secret_expires_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description Text that describes it. */
                        description: string;
                        /** @description Who disabled the event endpoint: an administrator, or its response 410. */
                        disabled_by: ("administrator" | "receiver") | null;
                        /** @description Types of events, such as `account.created`. */
                        event_types: string[];
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Whether the event endpoint is disabled, so that no event is sent to it. */
                        is_disabled: boolean;
                        /** @description Until when the previous signing secret also signs, or `null`. */
                        previous_secret_expires_at: string | null;
                        /** @description Signing secret by the Standard Webhooks specification: `whsec_` and Base64. It is shown only now. */
                        secret: string;
                        /** @description URL. */
                        url: string;
                    };
                };
            };
        };
    };
    eventEndpointsShow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object of type `EndpointView` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointView"];
                };
            };
        };
    };
    eventEndpointsRemove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    eventEndpointsEdit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditEventEndpointInput"];
            };
        };
        responses: {
            /** @description An object of type `EndpointView` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointView"];
                };
            };
        };
    };
    deliveriesList: {
        parameters: {
            query?: {
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `deliveries`, `has_more` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Deliveries of events, newest first. */
                        deliveries: components["schemas"]["DeliveryView"][];
                        /** @description Whether more items follow. */
                        has_more: boolean;
                    };
                };
            };
        };
    };
    deliveriesReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                delivery_id: string;
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deliveriesReplayFailed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayFailedInput"];
            };
        };
        responses: {
            /** @description An object with `replayed`, `has_more` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether more items follow. */
                        has_more: boolean;
                        /** @description Number of deliveries that are sent again. */
                        replayed: number;
                    };
                };
            };
        };
    };
    eventEndpointsRotateSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `secret`, `id`, `url`, `description`, `event_types`, `is_disabled`, `disabled_by`, `created_at`, `previous_secret_expires_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description Text that describes it. */
                        description: string;
                        /** @description Who disabled the event endpoint: an administrator, or its response 410. */
                        disabled_by: ("administrator" | "receiver") | null;
                        /** @description Types of events, such as `account.created`. */
                        event_types: string[];
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Whether the event endpoint is disabled, so that no event is sent to it. */
                        is_disabled: boolean;
                        /** @description Until when the previous signing secret also signs, or `null`. */
                        previous_secret_expires_at: string | null;
                        /** @description Signing secret by the Standard Webhooks specification: `whsec_` and Base64. It is shown only now. */
                        secret: string;
                        /** @description URL. */
                        url: string;
                    };
                };
            };
        };
    };
    deliveriesSendTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object of type `DeliveryView` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryView"];
                };
            };
        };
    };
    eventEndpointsTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `event_types` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Types of events, such as `account.created`. */
                        event_types: {
                            /** @description Name. */
                            name: string;
                            /** @description Texts by language. */
                            words: components["schemas"]["Described"];
                        }[];
                    };
                };
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
            /** @description An object with `route`, `rows`, `decides`, `answer` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Error response that the request would get. */
                        answer: {
                            /** @description Whether the request would reach its handler. */
                            admitted: boolean;
                            /** @description Code. In error responses: the stable error code. */
                            code: ("ACCESS_DENIED" | "ACCOUNT_SUSPENDED_PERMANENTLY" | "ACCOUNT_SUSPENDED_TEMPORARILY" | "ACCOUNT_SUSPICIOUS_ACTIVITY" | "ADMIN_API_KEY_NOT_FOUND" | "BAD_GATEWAY" | "BAD_REQUEST" | "BOT_IS_PRIVATE" | "BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED" | "BOT_USER_AUTH_SESSION_CREATION_DENIED" | "BOT_USER_GENERATION_FAILED" | "BOT_USER_NOT_FOUND" | "CANNOT_SEND_EMPTY_MESSAGE" | "CAPTCHA_REQUIRED" | "CONFLICT" | "CONNECTION_ACCOUNT_EXISTS" | "FEATURE_TEMPORARILY_DISABLED" | "FILE_SIZE_TOO_LARGE" | "FORBIDDEN" | "GATEWAY_TIMEOUT" | "GLOBAL_IP_BANNED" | "GLOBAL_IP_TEMPORARILY_BANNED" | "GONE" | "HANDOFF_CODE_EXPIRED" | "INTERNAL_SERVER_ERROR" | "INVALID_API_ORIGIN" | "INVALID_CAPTCHA" | "INVALID_CLIENT" | "INVALID_FORM_BODY" | "INVALID_GRANT" | "INVALID_HANDOFF_CODE" | "INVALID_PHONE_NUMBER" | "INVALID_PHONE_VERIFICATION_CODE" | "INVALID_REQUEST" | "INVALID_SCOPE" | "INVALID_TOKEN" | "INVALID_WEBAUTHN_CREDENTIAL" | "IP_AUTHORIZATION_REQUIRED" | "IP_AUTHORIZATION_RESEND_COOLDOWN" | "IP_AUTHORIZATION_RESEND_LIMIT_EXCEEDED" | "IP_BAN_DECLINED" | "JOB_NOT_RETRYABLE" | "LAST_BOT_TOKEN" | "LAST_SIGN_IN_METHOD" | "MAX_ADMIN_API_KEYS" | "MAX_APPLICATIONS" | "MAX_CONNECTIONS" | "MAX_EVENT_ENDPOINTS" | "MAX_ROLES" | "MAX_WEBHOOKS" | "MEDIA_QUOTA_EXCEEDED" | "MFA_EMAIL_VERIFICATION_REQUIRED" | "MISSING_ACL" | "MISSING_OAUTH_SCOPE" | "MISSING_PERMISSIONS" | "NOT_A_BOT_APPLICATION" | "NOT_FOUND" | "NO_PASSKEYS_REGISTERED" | "OUTGOING_DELIVERY_PENDING" | "OUTGOING_ENDPOINT_DISABLED" | "PASSKEY_AUTHENTICATION_FAILED" | "PAYLOAD_TOO_LARGE" | "PHONE_ALREADY_USED" | "PHONE_RATE_LIMIT_EXCEEDED" | "PUBLIC_CLIENT_HAS_NO_SECRET" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMITED" | "REGISTRATION_CLOSED" | "REGISTRATION_NOT_PENDING" | "REGISTRATION_PENDING_APPROVAL" | "REGISTRATION_REJECTED" | "SERVICE_UNAVAILABLE" | "SESSION_TOKEN_MISMATCH" | "SMS_VERIFICATION_UNAVAILABLE" | "SSO_REQUIRED" | "SUDO_MODE_REQUIRED" | "TOKEN_LIMIT_REACHED" | "TRANSCODE_FAILED" | "TWO_FACTOR_REQUIRED" | "TWO_FA_ALREADY_ENABLED" | "TWO_FA_NOT_ENABLED" | "UNAUTHORIZED" | "UNCLAIMED_ACCOUNT_CANNOT_CREATE_APPLICATIONS" | "UNKNOWN_APPLICATION" | "UNKNOWN_CONNECTION" | "UNKNOWN_EVENT_DELIVERY" | "UNKNOWN_EVENT_ENDPOINT" | "UNKNOWN_IDENTITY" | "UNKNOWN_JOB" | "UNKNOWN_MESSAGE" | "UNKNOWN_ROLE" | "UNKNOWN_TOKEN" | "UNKNOWN_USER" | "UNKNOWN_WEBAUTHN_CREDENTIAL" | "UNKNOWN_WEBHOOK" | "UNSUPPORTED_GRANT_TYPE" | "UNSUPPORTED_MEDIA_TYPE" | "UPSTREAM_FETCH_FAILED" | "USERNAME_NOT_AVAILABLE" | "WEBAUTHN_CREDENTIAL_LIMIT_REACHED") | null;
                            /** @description Message in English, for developers. */
                            message: string | null;
                            /** @description Status. */
                            status: number;
                        };
                        /** @description Check that decides the response. Null: the request is admitted. */
                        decides: string | null;
                        /** @description The matching route. Null: none. */
                        route: components["schemas"]["RouteView"] | null;
                        /** @description Checks in their order, each with its result. */
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
            /** @description An object with `ok` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the check succeeded. */
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
            /** @description An object with `sso`, `registration`, `app_public` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Values that pages show without a credential. */
                        app_public: {
                            /** @description Product name, logo and color of the instance. */
                            branding: {
                                /** @description Name of the product. */
                                product_name: string;
                            };
                            /** @description URLs of terms and privacy policy. */
                            legal: {
                                /** @description URL of the privacy policy. */
                                privacy_url: string | null;
                                /** @description URL of the terms. */
                                terms_url: string | null;
                            };
                            /** @description State of the setup. */
                            setup: {
                                /** @description Whether the instance is set up. */
                                configured: boolean;
                            };
                        };
                        /** @description Registration of new users. */
                        registration: {
                            /** @description Whether registration hides that an email address is taken. */
                            hide_existing_accounts: boolean;
                            /** @description Requirements for new accounts, as a bit field. */
                            initial_suspicious_flags: number;
                            /**
                             * @description Mode.
                             * @enum {string}
                             */
                            mode: "approval" | "closed" | "open";
                        };
                        /** @description Single sign-on. */
                        sso: {
                            /** @description Email domains that may sign in through the identity provider. Empty: all. */
                            allowed_domains: string[];
                            /** @description Authorization endpoint of the identity provider. */
                            authorization_url: string | null;
                            /** @description Whether the first sign-in through the identity provider creates an account. */
                            auto_provision: boolean;
                            /** @description Client ID: the ID of the application. */
                            client_id: string | null;
                            /** @description Whether a client secret is stored. */
                            client_secret_set: boolean;
                            /** @description Name that pages show. */
                            display_name: string | null;
                            /** @description Whether it is turned on. */
                            enabled: boolean;
                            /** @description Whether single sign-on is required. */
                            enforced: boolean;
                            /** @description URL that identifies the issuer. */
                            issuer: string | null;
                            /** @description Key set of the identity provider. */
                            jwks_url: string | null;
                            /** @description Redirect URI. */
                            redirect_uri: string;
                            /** @description OAuth2 scopes, separated by spaces. */
                            scope: string;
                            /** @description Token endpoint of the identity provider. */
                            token_url: string | null;
                            /** @description Userinfo endpoint of the identity provider. */
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
            /** @description An object of type `ChangedInstanceConfig` */
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
            /** @description An object with `ok`, `detail` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Cause of the failure. */
                        detail: string | null;
                        /** @description Whether the check succeeded. */
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
            /** @description An object with `pending_registrations`, `total` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Registrations that wait for approval. */
                        pending_registrations: {
                            /** @description IP address of the request. */
                            client_ip: string | null;
                            /** @description Four digits that distinguish users with the same username. */
                            discriminator: string;
                            /** @description Email address. */
                            email: string | null;
                            /** @description Display name. */
                            global_name: string | null;
                            /** @description Time of the request. */
                            requested_at: string;
                            /** @description Account ID. */
                            user_id: string;
                            /** @description Username. */
                            username: string;
                        }[];
                        /** @description Total. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object of type `SsoTrialResult` */
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
            /** @description An object with `replicas`, `total`, `mail_waiting` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of emails that wait for delivery. */
                        mail_waiting: number;
                        /** @description Processes of the service. */
                        replicas: components["schemas"]["ReplicaView"][];
                        /** @description Total. */
                        total: {
                            /** @description Delay of the event loop, in milliseconds. */
                            event_loop_delay_ms: number;
                            /** @description Number of open gateway connections. */
                            gateway_sockets: number;
                            /** @description Number of error responses by code. */
                            refusals: {
                                [key: string]: number;
                            };
                            /** @description Processes of the service. */
                            replicas: number;
                            /** @description Number of requests. */
                            requests: number;
                            /** @description Requests per second. */
                            requests_per_second: number;
                            /** @description Number of sign-ins. */
                            sign_ins: number;
                        };
                    };
                };
            };
        };
    };
    statisticsShowDaily: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `days` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The last 30 days, from the oldest to today. */
                        days: components["schemas"]["DayView"][];
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
            /** @description An object with `queues`, `jobs`, `has_more`, `next_after` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether more items follow. */
                        has_more: boolean;
                        /** @description Background jobs. */
                        jobs: {
                            /** @description Time of the event. */
                            at: string;
                            /** @description Number of attempts. */
                            attempts: number;
                            /** @description Time of creation. */
                            created_at: string;
                            /** @description OAuth2 error code (RFC 6749). */
                            error: string | null;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description Whether a feature of this version declares the job. */
                            is_declared: boolean;
                            /** @description Name. */
                            name: string;
                            /**
                             * @description State. In OAuth2 requests: a value that is returned unchanged.
                             * @enum {string}
                             */
                            state: "active" | "failed" | "waiting";
                        }[];
                        /** @description Value of `after` for the next page. Null: last page. */
                        next_after: string | null;
                        /** @description Queues of background jobs. */
                        queues: {
                            /** @description Whether the token is valid. */
                            active: number;
                            /** @description Time at which the job runs next. */
                            due_at: string | null;
                            /** @description Number of failed jobs. */
                            failed: number;
                            /** @description Whether a feature of this version declares the job. */
                            is_declared: boolean;
                            /** @description Name. */
                            name: string;
                            /** @description Number of waiting jobs. */
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
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    rolesList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `roles` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Roles, which are templates for the permissions of accounts. */
                        roles: {
                            /** @description Permissions of an administrator or an Admin API key. */
                            acls: string[];
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description Name. */
                            name: string;
                        }[];
                    };
                };
            };
        };
    };
    rolesCreate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRoleInput"];
            };
        };
        responses: {
            /** @description An object with `id`, `name`, `acls` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Permissions of an administrator or an Admin API key. */
                        acls: string[];
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Name. */
                        name: string;
                    };
                };
            };
        };
    };
    rolesRemove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    rolesEdit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EditRoleInput"];
            };
        };
        responses: {
            /** @description An object with `id`, `name`, `acls` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Permissions of an administrator or an Admin API key. */
                        acls: string[];
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Name. */
                        name: string;
                    };
                };
            };
        };
    };
    adminUsersSearch: {
        parameters: {
            query?: {
                created_from?: string;
                created_to?: string;
                cursor?: string;
                email?: string;
                email_verified?: "true" | "false";
                has_acls?: "true" | "false";
                last_active_ip?: string;
                last_seen_from?: string;
                last_seen_to?: string;
                limit?: number;
                offset?: number;
                order?: "asc" | "desc";
                phone?: string;
                provider?: string;
                q?: string;
                resolve?: string;
                second_factor?: "true" | "false";
                session_id_hash?: string;
                sort?: "created" | "last_seen" | "username";
                state?: "active" | "disabled" | "suspended" | "pending_approval" | "deletion_scheduled" | "locked";
                user_id?: string[];
                username?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `next_cursor`, `truncated`, `users`, `total` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Value of `cursor` for the next page. Null: last page. */
                        next_cursor: string | null;
                        /** @description Total. */
                        total: number;
                        /** @description Whether the search stopped before it had read all accounts. `total` is then a lower bound. */
                        truncated: boolean;
                        /** @description Accounts. */
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
            /** @description An object with `users` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Accounts. */
                        users: components["schemas"]["AdminUserView"][];
                    };
                };
            };
        };
    };
    userTokensList: {
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
            /** @description An object with `tokens` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Tokens that are valid now. */
                        tokens: {
                            /** @description Time of creation. */
                            created_at: string;
                            /** @description Time at which it expires. Null: never. */
                            expires_at: string;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description Time of the last use. Null: never. */
                            last_used_at: string | null;
                            /** @description Name. */
                            name: string;
                            /** @description Networks that the account has used. */
                            networks: string[];
                            /** @description Last four characters of the token. */
                            preview: string;
                            /** @description OAuth2 scopes. */
                            scopes: string[];
                        }[];
                    };
                };
            };
        };
    };
    userTokensDelete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `applications` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Applications. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description Success. The body is empty */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `networks` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Networks that the account has used. */
                        networks: {
                            /** @description Time of creation. */
                            created_at: string;
                            /** @description Network, as a CIDR range. */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `sessions` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Sessions, or the number of ended sessions. */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `identities` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Identities at the identity provider. */
                        identities: {
                            /** @description ID of the connection. */
                            connection_id: string | null;
                            /** @description URL that identifies the issuer. */
                            issuer: string;
                            /** @description Subject: of a message, or the user ID at the identity provider. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UnlinkSsoInput"];
            };
        };
        responses: {
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description Success. The body is empty */
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
            /** @description An array of `PasskeyView` objects */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object of type `CurrentBotApplicationView` */
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
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    connectionsList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `connections` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Identity providers that users can sign in with, in the order of their buttons. */
                        connections: {
                            /** @description Name that pages show. */
                            display_name: string;
                            /** @description Icon of the application, as a hash. Null: none. */
                            icon: string;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /**
                             * @description Kind of the entry.
                             * @enum {string}
                             */
                            kind: "discord" | "github" | "gitlab" | "google" | "microsoft" | "oauth2" | "oidc";
                        }[];
                    };
                };
            };
        };
    };
    connectionsComplete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteConnectionInput"];
            };
        };
        responses: {
            /** @description An object of type `ConnectionSignInResult` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionSignInResult"];
                };
            };
        };
    };
    connectionsStart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartConnectionInput"];
            };
        };
        responses: {
            /** @description An object with `authorization_url`, `state`, `redirect_uri` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Authorization endpoint of the identity provider. */
                        authorization_url: string;
                        /** @description Redirect URI. */
                        redirect_uri: string;
                        /** @description State. In OAuth2 requests: a value that is returned unchanged. */
                        state: string;
                    };
                };
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
            /** @description An object of type `TokenResponse` */
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
            /** @description Success. The body is empty */
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
            /** @description Success. The body is empty */
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
            /** @description An object with members */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Device and program of the session. */
                        client_info: null;
                        /** @description Time of creation. */
                        created_at: null;
                        /** @description IP address with its end hidden. */
                        masked_ip: null;
                        /**
                         * @description Status.
                         * @constant
                         */
                        status: "expired";
                    } | {
                        /** @description Device and program of the session. */
                        client_info: {
                            /** @description Name of the browser. */
                            browser: string | null;
                            /** @description Kind of device. */
                            device: string;
                            /** @description Operating system. */
                            os: string | null;
                            /** @description Program. */
                            platform: string | null;
                        };
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description IP address with its end hidden. */
                        masked_ip: string | null;
                        /**
                         * @description Status.
                         * @constant
                         */
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
            /** @description An object with members */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Status.
                         * @constant
                         */
                        status: "expired";
                    } | {
                        /**
                         * @description Status.
                         * @constant
                         */
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
            /** @description An object of type `Collected` */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `code`, `expires_at`, `poll_secret`, `confirmation` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Code. In error responses: the stable error code. */
                        code: string;
                        /** @description Two digits that both devices show. */
                        confirmation: string;
                        /** @description Time at which it expires. Null: never. */
                        expires_at: string;
                        /** @description Secret of the device that waits for the sign-in. */
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
            /** @description An object with members */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Whether the user has confirmed the IP address.
                         * @constant
                         */
                        completed: false;
                    } | {
                        /**
                         * @description Whether the user has confirmed the IP address.
                         * @constant
                         */
                        completed: true;
                        /**
                         * @description What the sign-in ended: a disablement by the user or a scheduled deletion.
                         * @enum {string}
                         */
                        reactivated?: "deletion" | "disabled";
                        /** @description Token. It is shown only once. */
                        token: string;
                        /** @description The user. */
                        user: components["schemas"]["PartialUserView"];
                        /** @description Account ID. */
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
            /** @description Success. The body is empty */
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
            /** @description An object of type `LockdownResult` */
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
            /** @description An object of type `MfaChallenge` or `TokenResponse` */
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
            /** @description An object of type `TokenResponse` */
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
            /** @description An object of type `TokenResponse` */
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
            /** @description An object with `challenge`, `timeout`, `rpId`, `allowCredentials`, `userVerification` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Passkeys that may answer the challenge. Empty: any. */
                        allowCredentials: {
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description How the browser can reach the authenticator. */
                            transports?: string[];
                            /**
                             * @description Type.
                             * @constant
                             */
                            type: "public-key";
                        }[];
                        /** @description Challenge to sign, in Base64url. */
                        challenge: string;
                        /** @description ID of the relying party (WebAuthn): a domain. */
                        rpId: string;
                        /** @description Time for the ceremony, in milliseconds. */
                        timeout: number;
                        /**
                         * @description Whether the authenticator must verify the user.
                         * @constant
                         */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `ceremony_id`, `bridge_url` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description URL of the page that asks for the passkey on another origin. */
                        bridge_url: string | null;
                        /** @description ID of the passkey ceremony. */
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
            /** @description An object with members */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Code that the page returns to the application that started the ceremony. */
                        completion_code: string;
                        /** @description URL of the application that started the ceremony. */
                        return_url: null;
                    } | {
                        /** @description Code that the page returns to the application that started the ceremony. */
                        completion_code: null;
                        /** @description URL of the application that started the ceremony. */
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
            /** @description An object with members */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Code that the page returns to the application that started the ceremony. */
                        completion_code: string;
                        /** @description URL of the application that started the ceremony. */
                        return_url: null;
                    } | {
                        /** @description Code that the page returns to the application that started the ceremony. */
                        completion_code: null;
                        /** @description URL of the application that started the ceremony. */
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
            /** @description An object with members */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Options for `navigator.credentials.get()` (WebAuthn). */
                        options: {
                            /** @description Passkeys that may answer the challenge. Empty: any. */
                            allowCredentials: {
                                /** @description ID, as a decimal string of a 64-bit number. */
                                id: string;
                                /** @description How the browser can reach the authenticator. */
                                transports?: string[];
                                /**
                                 * @description Type.
                                 * @constant
                                 */
                                type: "public-key";
                            }[];
                            /** @description Challenge to sign, in Base64url. */
                            challenge: string;
                            /** @description ID of the relying party (WebAuthn): a domain. */
                            rpId: string;
                            /** @description Time for the ceremony, in milliseconds. */
                            timeout: number;
                            /**
                             * @description Whether the authenticator must verify the user.
                             * @constant
                             */
                            userVerification: "discouraged";
                        };
                        /** @description Device that started the ceremony. */
                        requested_by: components["schemas"]["DeviceView"] | null;
                    } | {
                        /** @description Options for `navigator.credentials.get()` (WebAuthn). */
                        options: {
                            /** @description Challenge to sign, in Base64url. */
                            challenge: string;
                            /** @description ID of the relying party (WebAuthn): a domain. */
                            rpId: string;
                            /** @description Time for the ceremony, in milliseconds. */
                            timeout: number;
                            /**
                             * @description Whether the authenticator must verify the user.
                             * @constant
                             */
                            userVerification: "required";
                        };
                        /** @description Device that started the ceremony. */
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
            /** @description An object with members */
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
                        /**
                         * @description Status.
                         * @constant
                         */
                        status: "completed";
                        /** @description Token. It is shown only once. */
                        token: string;
                        /** @description The user. */
                        user: components["schemas"]["PartialUserView"];
                        /** @description Account ID. */
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
            /** @description An object of type `Registered` */
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
            /** @description An object of type `MfaChallenge` or `TokenResponse` */
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
            /** @description An object with `valid` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the token is valid. */
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
            /** @description An array */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Approximate time of the last use. */
                        approx_last_used_at: string;
                        /** @description Device and program of the session. */
                        client_info: {
                            /** @description Name of the browser. */
                            browser: string | null;
                            /** @description Kind of device. */
                            device: string;
                            /** @description Operating system. */
                            os: string | null;
                            /** @description Program. */
                            platform: string | null;
                        };
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description Whether this is the session of the request. */
                        current: boolean;
                        /** @description Hash of the session ID. */
                        id_hash: string;
                        /** @description IP address with its end hidden. */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `token`, `user_id`, `user`, `reactivated`, `redirect_to` */
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
                        /** @description URL to which the browser must go next. */
                        redirect_to: string;
                        /** @description Token. It is shown only once. */
                        token: string;
                        /** @description The user. */
                        user: components["schemas"]["PartialUserView"];
                        /** @description Account ID. */
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
            /** @description An object with `authorization_url`, `state`, `redirect_uri` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Authorization endpoint of the identity provider. */
                        authorization_url: string;
                        /** @description Redirect URI. */
                        redirect_uri: string;
                        /** @description State. In OAuth2 requests: a value that is returned unchanged. */
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
            /** @description An object with `enabled`, `enforced`, `display_name`, `redirect_uri` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Name that pages show. */
                        display_name: string | null;
                        /** @description Whether it is turned on. */
                        enabled: boolean;
                        /** @description Whether single sign-on is required. */
                        enforced: boolean;
                        /** @description Redirect URI. */
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
            /** @description An object with `suggestions` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Free usernames. */
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
            /** @description Success. The body is empty */
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
            /** @description Success. The body is empty */
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
            /** @description An object of type `TokenResponse` */
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
            /** @description An object with `challenge`, `timeout`, `rpId`, `userVerification` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Challenge to sign, in Base64url. */
                        challenge: string;
                        /** @description ID of the relying party (WebAuthn): a domain. */
                        rpId: string;
                        /** @description Time for the ceremony, in milliseconds. */
                        timeout: number;
                        /**
                         * @description Whether the authenticator must verify the user.
                         * @constant
                         */
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
            /** @description An object of type `Challenge` */
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
            /** @description An object with members */
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
    decisionsDecide: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionInput"];
            };
        };
        responses: {
            /** @description An object of type `DecisionView` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionView"];
                };
            };
        };
    };
    decisionsRevocations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream of revocations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
        };
    };
    forwardAuthAuthenticate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                policy: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy admits the caller. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
            /** @description An object with `url`, `shards`, `session_start_limit` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Limit of Identify commands. */
                        session_start_limit: {
                            /** @description Number of shards that may identify at the same time. */
                            max_concurrency: number;
                            /** @description Number of Identify commands that are left. */
                            remaining: number;
                            /** @description Milliseconds until the limit resets. */
                            reset_after: number;
                            /** @description Total. */
                            total: number;
                        };
                        /** @description Recommended number of shards. */
                        shards: number;
                        /** @description URL. */
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
            /** @description An object of type `SignedUrl` */
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
            /** @description An object with `attachments` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Files of the message or upload. */
                        attachments: {
                            /** @description Media type of the file. */
                            content_type: string;
                            /** @description Time at which it expires. Null: never. */
                            expires_at: string;
                            /** @description Size of the file, in bytes. */
                            file_size: number;
                            /** @description Name of the file. */
                            filename: string;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: number;
                            /** @description Name of the upload. Use it in later requests. */
                            upload_filename: string;
                            /** @description How to upload the file. */
                            upload_mode: string;
                            /** @description URL to which you upload the file. */
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
            /** @description An object with `uploads` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Uploads, or whether uploads are turned on. */
                        uploads: {
                            /** @description Media type of the file. */
                            content_type: string;
                            /** @description Name of the file. */
                            filename: string;
                            /** @description Height in pixels. */
                            height?: number;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description Size in bytes. */
                            size: number;
                            /** @description Name of the upload. Use it in later requests. */
                            upload_filename: string;
                            /** @description URL. */
                            url: string;
                            /** @description Width in pixels. */
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
            /** @description An object of type `CurrentAuthorizationView` */
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
            /** @description An array of `AuthorizationView` objects */
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
            /** @description Success. The body is empty */
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
            /** @description Success. The body is empty */
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
            /** @description An object of type `ApplicationView` */
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
            /** @description An object of type `ApplicationView` */
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
            /** @description Success. The body is empty */
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
            /** @description An object of type `ApplicationView` */
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
    backchannelLogoutsList: {
        parameters: {
            query?: {
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
            /** @description An array */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time of the last attempt. */
                        completed_at: string;
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /**
                         * @description `delivered` or `failed`.
                         * @enum {string}
                         */
                        outcome: "delivered" | "failed";
                    }[];
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
            /** @description An object of type `BotProfileView` */
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
            /** @description An object with `token`, `bot` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The bot of the application, or whether the account is a bot. */
                        bot: components["schemas"]["ApplicationBotView"];
                        /** @description Token. It is shown only once. */
                        token: string;
                    };
                };
            };
        };
    };
    botTokensList: {
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
            /** @description An object with `tokens` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Tokens that are valid now. */
                        tokens: components["schemas"]["BotTokenView"][];
                    };
                };
            };
        };
    };
    botTokensCreate: {
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
                "application/json": components["schemas"]["CreateBotTokenInput"];
            };
        };
        responses: {
            /** @description An object with `token`, `created_at`, `last_used_at`, `id`, `name`, `preview` */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Time of the last use. Null: never. */
                        last_used_at: string | null;
                        /** @description Name. */
                        name: string;
                        /** @description Last four characters of the token. */
                        preview: string;
                        /** @description Token. It is shown only once. */
                        token: string;
                    };
                };
            };
        };
    };
    botTokensDelete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
            /** @description An object of type `ApplicationView` */
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
            /** @description An object of type `PublicApplicationView` */
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
            /** @description An object with members */
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
                /** @description Parameter of OAuth2 or OpenID Connect */
                acr_values?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                client_id: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                code_challenge?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                code_challenge_method?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                display?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                id_token_hint?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                login_hint?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                max_age?: number;
                /** @description Parameter of OAuth2 or OpenID Connect */
                nonce?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                prompt?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                redirect_uri?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                registration?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                request?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                request_uri?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                response_mode?: "query";
                /** @description Parameter of OAuth2 or OpenID Connect */
                response_type?: "code";
                /** @description Parameter of OAuth2 or OpenID Connect */
                scope: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                state?: string;
                /** @description Parameter of OAuth2 or OpenID Connect */
                ui_locales?: string;
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
            /** @description An object with `redirect_to` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description URL to which the browser must go next. */
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
                    /** @description Client ID: the ID of the application. */
                    client_id?: string;
                    /** @description Client secret. It is shown only once. */
                    client_secret?: string;
                    /** @description Token. It is shown only once. */
                    token: string;
                    /** @description Hint about the type of the token (RFC 7009). */
                    token_type_hint?: string;
                };
            };
        };
        responses: {
            /** @description An object of type `ActiveToken` or `InactiveToken` */
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
    logoutLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LogoutInput"];
            };
        };
        responses: {
            /** @description An object of type `LogoutResult` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogoutResult"];
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
            /** @description An object of type `UserClaims` */
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
            /** @description An object of type `UserClaims` */
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
                    /** @description Client ID: the ID of the application. */
                    client_id?: string;
                    /** @description Client secret. It is shown only once. */
                    client_secret?: string;
                    /** @description Code. In error responses: the stable error code. */
                    code?: string;
                    /** @description PKCE code verifier (RFC 7636). */
                    code_verifier?: string;
                    /**
                     * @description OAuth2 grant type.
                     * @enum {string}
                     */
                    grant_type: "authorization_code" | "refresh_token";
                    /** @description Redirect URI. */
                    redirect_uri?: string;
                    /** @description Refresh token. Each can be used once. */
                    refresh_token?: string;
                    /** @description OAuth2 scopes, separated by spaces. */
                    scope?: string;
                };
            };
        };
        responses: {
            /** @description An object with `access_token`, `token_type`, `expires_in`, `refresh_token`, `scope`, `id_token` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Access token. Send it as `Authorization: Bearer <token>`. */
                        access_token: string;
                        /** @description Lifetime in seconds. */
                        expires_in: number;
                        /** @description ID token (OpenID Connect). Only with the scope `openid`. */
                        id_token?: string;
                        /** @description Refresh token. Each can be used once. */
                        refresh_token: string;
                        /** @description OAuth2 scopes, separated by spaces. */
                        scope: string;
                        /** @description Type of the token. */
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
                    /** @description Client ID: the ID of the application. */
                    client_id?: string;
                    /** @description Client secret. It is shown only once. */
                    client_secret?: string;
                    /** @description Token. It is shown only once. */
                    token: string;
                    /** @description Hint about the type of the token (RFC 7009). */
                    token_type_hint?: string;
                };
            };
        };
        responses: {
            /** @description Success. The body is empty */
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
            /** @description An object of type `UserInfoView` */
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
            /** @description An object with `user` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The user. */
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
            /** @description An object of type `PrivateUserView` */
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
            /** @description An object of type `EditedUser` */
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
    personalTokensList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `tokens` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Tokens that are valid now. */
                        tokens: {
                            /** @description Time of creation. */
                            created_at: string;
                            /** @description Time at which it expires. Null: never. */
                            expires_at: string;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description Time of the last use. Null: never. */
                            last_used_at: string | null;
                            /** @description Name. */
                            name: string;
                            /** @description Networks that the account has used. */
                            networks: string[];
                            /** @description Last four characters of the token. */
                            preview: string;
                            /** @description OAuth2 scopes. */
                            scopes: string[];
                        }[];
                    };
                };
            };
        };
    };
    personalTokensCreate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePersonalTokenInput"];
            };
        };
        responses: {
            /** @description An object with `token`, `created_at`, `expires_at`, `last_used_at`, `id`, `name`, `preview`, `scopes`, `networks` */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description Time at which it expires. Null: never. */
                        expires_at: string;
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Time of the last use. Null: never. */
                        last_used_at: string | null;
                        /** @description Name. */
                        name: string;
                        /** @description Networks that the account has used. */
                        networks: string[];
                        /** @description Last four characters of the token. */
                        preview: string;
                        /** @description OAuth2 scopes. */
                        scopes: string[];
                        /** @description Token. It is shown only once. */
                        token: string;
                    };
                };
            };
        };
    };
    personalTokensDelete: {
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
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    personalTokensRename: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenamePersonalTokenInput"];
            };
        };
        responses: {
            /** @description An object with `created_at`, `expires_at`, `last_used_at`, `id`, `name`, `preview`, `scopes`, `networks` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description Time at which it expires. Null: never. */
                        expires_at: string;
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Time of the last use. Null: never. */
                        last_used_at: string | null;
                        /** @description Name. */
                        name: string;
                        /** @description Networks that the account has used. */
                        networks: string[];
                        /** @description Last four characters of the token. */
                        preview: string;
                        /** @description OAuth2 scopes. */
                        scopes: string[];
                    };
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
            /** @description An array of `ApplicationView` objects */
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
            /** @description Success. The body is empty */
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
            /** @description Success. The body is empty */
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
            /** @description Success. The body is empty */
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
            /** @description An object of type `PrivateUserView` */
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
            /** @description An object with `ticket`, `new_email`, `new_code_expires_at`, `resend_available_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time at which the code expires. */
                        new_code_expires_at: string;
                        /** @description New email address. */
                        new_email: string;
                        /** @description Time at which another code can be requested. */
                        resend_available_at: string;
                        /** @description Ticket that connects the steps of an operation. */
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
            /** @description Success. The body is empty */
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
            /** @description An object of type `PrivateUserView` */
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
            /** @description An object with `ticket`, `new_email`, `new_code_expires_at`, `resend_available_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time at which the code expires. */
                        new_code_expires_at: string;
                        /** @description New email address. */
                        new_email: string;
                        /** @description Time at which another code can be requested. */
                        resend_available_at: string;
                        /** @description Ticket that connects the steps of an operation. */
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
            /** @description Success. The body is empty */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `ticket`, `require_original`, `original_email`, `original_proof`, `original_code_expires_at`, `resend_available_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time at which the code for the current email address expires. */
                        original_code_expires_at: string | null;
                        /** @description Current email address. */
                        original_email: string | null;
                        /** @description Proof that the user can read emails at the current address. */
                        original_proof: string | null;
                        /** @description Whether the current email address must be verified first. */
                        require_original: boolean;
                        /** @description Time at which another code can be requested. */
                        resend_available_at: string | null;
                        /** @description Ticket that connects the steps of an operation. */
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
            /** @description An object with `email_token` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Proof that the new email address was verified. */
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
            /** @description An object with `original_proof` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Proof that the user can read emails at the current address. */
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
            /** @description An object with members */
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
    ownIdentitiesList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An object with `identities` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Identities at the identity provider. */
                        identities: {
                            /** @description ID of the connection. */
                            connection_id: string;
                            /** @description Name that pages show. */
                            display_name: string;
                            /** @description Email address. */
                            email: string | null;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description Time of the last use. Null: never. */
                            last_used_at: string | null;
                            /** @description When the identity was linked. */
                            linked_at: string;
                        }[];
                    };
                };
            };
        };
    };
    ownIdentitiesRemove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                identity_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description Success. The body is empty */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ownIdentitiesComplete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteConnectionInput"];
            };
        };
        responses: {
            /** @description An object with `id`, `connection_id`, `display_name`, `email`, `linked_at`, `last_used_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description ID of the connection. */
                        connection_id: string;
                        /** @description Name that pages show. */
                        display_name: string;
                        /** @description Email address. */
                        email: string | null;
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Time of the last use. Null: never. */
                        last_used_at: string | null;
                        /** @description When the identity was linked. */
                        linked_at: string;
                    };
                };
            };
        };
    };
    ownIdentitiesStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartLinkInput"] & components["schemas"]["SudoInput"];
            };
        };
        responses: {
            /** @description An object with `authorization_url`, `state`, `redirect_uri` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Authorization endpoint of the identity provider. */
                        authorization_url: string;
                        /** @description Redirect URI. */
                        redirect_uri: string;
                        /** @description State. In OAuth2 requests: a value that is returned unchanged. */
                        state: string;
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
            /** @description An object of type `LockdownResult` */
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
            /** @description An object with `backup_codes` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Backup codes, or whether the account has unused ones. */
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
            /** @description An object with `ticket`, `code_expires_at`, `resend_available_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time at which the code expires. */
                        code_expires_at: string;
                        /** @description Time at which another code can be requested. */
                        resend_available_at: string;
                        /** @description Ticket that connects the steps of an operation. */
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
            /** @description An object with `backup_codes` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Backup codes, or whether the account has unused ones. */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `backup_codes`, `verification_proof` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Backup codes, or whether the account has unused ones. */
                        backup_codes: components["schemas"]["BackupCodeView"][];
                        /** @description Proof that the code from the email was correct. */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `backup_codes` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Backup codes, or whether the account has unused ones. */
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
            /** @description An array of `PasskeyView` objects */
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
            /** @description Success. The body is empty */
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
            /** @description Success. The body is empty */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `rp`, `user`, `challenge`, `pubKeyCredParams`, `timeout`, `excludeCredentials`, `authenticatorSelection`, `attestation`, `extensions`, `hints` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Attestation that the browser requests. */
                        attestation: string;
                        /** @description Requirements for the authenticator. */
                        authenticatorSelection: {
                            /** @description Whether a discoverable passkey is required. */
                            requireResidentKey: boolean;
                            /** @description Whether a discoverable passkey is required or preferred. */
                            residentKey: string;
                            /** @description Whether the authenticator must verify the user. */
                            userVerification: string;
                        };
                        /** @description Challenge to sign, in Base64url. */
                        challenge: string;
                        /** @description Passkeys that the account has already. */
                        excludeCredentials: {
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description How the browser can reach the authenticator. */
                            transports?: string[];
                            /**
                             * @description Type.
                             * @constant
                             */
                            type: "public-key";
                        }[];
                        /** @description WebAuthn extensions. */
                        extensions: {
                            /** @description Asks for the properties of the new passkey. */
                            credProps: boolean;
                        };
                        /** @description Hints for the browser about the kind of authenticator. */
                        hints: unknown[];
                        /** @description Supported signature algorithms. */
                        pubKeyCredParams: {
                            /** @description COSE identifier of the signature algorithm. */
                            alg: number;
                            /** @description Type. */
                            type: string;
                        }[];
                        /** @description The relying party (WebAuthn). */
                        rp: {
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description Name. */
                            name: string;
                        };
                        /** @description Time for the ceremony, in milliseconds. */
                        timeout: number;
                        /** @description The user. */
                        user: {
                            /** @description Name that the browser shows. */
                            displayName: string;
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description Name. */
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
            /** @description An object with `user`, `backup_codes` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Backup codes, or whether the account has unused ones. */
                        backup_codes: components["schemas"]["BackupCodeView"][] | null;
                        /** @description The user. */
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
            /** @description An object with `ceremony_id`, `bridge_url` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description URL of the page that asks for the passkey on another origin. */
                        bridge_url: string | null;
                        /** @description ID of the passkey ceremony. */
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
            /** @description An object with members */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledCeremony"] | {
                        /**
                         * @description Status.
                         * @constant
                         */
                        status: "completed";
                        /** @description Proof for sudo mode. Send it as `X-Service-Sudo-Mode-JWT`. */
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
            /** @description An object of type `RotatedSession` */
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
            /** @description Success. The body is empty */
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
            /** @description An object with `ticket`, `code_expires_at`, `resend_available_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Time at which the code expires. */
                        code_expires_at: string;
                        /** @description Time at which another code can be requested. */
                        resend_available_at: string;
                        /** @description Ticket that connects the steps of an operation. */
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
            /** @description An object with `verification_proof` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Proof that the code from the email was correct. */
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
            /** @description An object with `channel` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Channel of the message. */
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
            /** @description An object with `verified` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the email address or phone number is verified. */
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
            /** @description An array of `EventView` objects */
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
            /** @description An object of type `SettingsView` */
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
            /** @description An object of type `SettingsView` */
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
            /** @description An object with `totp`, `webauthn`, `backup_codes`, `has_mfa` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Backup codes, or whether the account has unused ones. */
                        backup_codes: boolean;
                        /** @description Whether the account has a second factor. */
                        has_mfa: boolean;
                        /** @description Whether the account has an authenticator app. */
                        totp: boolean;
                        /** @description Whether the account has a passkey. */
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
            /** @description An object with `challenge`, `timeout`, `rpId`, `allowCredentials`, `userVerification` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Passkeys that may answer the challenge. Empty: any. */
                        allowCredentials: {
                            /** @description ID, as a decimal string of a 64-bit number. */
                            id: string;
                            /** @description How the browser can reach the authenticator. */
                            transports?: string[];
                            /**
                             * @description Type.
                             * @constant
                             */
                            type: "public-key";
                        }[];
                        /** @description Challenge to sign, in Base64url. */
                        challenge: string;
                        /** @description ID of the relying party (WebAuthn): a domain. */
                        rpId: string;
                        /** @description Time for the ceremony, in milliseconds. */
                        timeout: number;
                        /**
                         * @description Whether the authenticator must verify the user.
                         * @constant
                         */
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
            /** @description An object of type `PrivateUserView` */
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
            /** @description An array of `WebhookView` objects */
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
            /** @description An object with `token`, `url`, `id`, `application_id`, `name`, `avatar`, `user`, `created_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description ID of the application. */
                        application_id: string | null;
                        /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
                        avatar: string | null;
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Name. */
                        name: string;
                        /** @description Token. It is shown only once. */
                        token: string;
                        /** @description URL. */
                        url: string;
                        /** @description The user. */
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
            /** @description An object of type `WebhookView` */
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
            /** @description Success. The body is empty */
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
            /** @description An object of type `WebhookView` */
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
            /** @description An object of type `TokenView` */
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
                    /** @description Text of the message. */
                    content?: string | null;
                    /** @description Embeds of the message, at most 10. */
                    embeds?: Record<string, never>[] | null;
                    /** @description Flags, as a bit field. */
                    flags?: number | null;
                };
                "multipart/form-data": {
                    /** @description First file. More files follow as `files[1]` and so on. */
                    "files[0]"?: string;
                    /** @description JSON of the message, next to files. */
                    payload_json?: string;
                };
            };
        };
        responses: {
            /** @description An object of type `MessageView` */
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
            /** @description Success. The body is empty */
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
                    /**
                     * Format: byte
                     * @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none.
                     */
                    avatar?: string | null;
                    /** @description Name. */
                    name?: string | null;
                };
            };
        };
        responses: {
            /** @description An object of type `TokenView` */
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
                    /** @description Name of the action. */
                    action?: string;
                };
            };
        };
        responses: {
            /** @description Success. The body is empty */
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
            /** @description An object of type `MessageView` */
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
            /** @description Success. The body is empty */
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
                    /** @description Text of the message. */
                    content?: string | null;
                    /** @description Embeds of the message, at most 10. */
                    embeds?: Record<string, never>[] | null;
                    /** @description Flags, as a bit field. */
                    flags?: number | null;
                };
            };
        };
        responses: {
            /** @description An object of type `MessageView` */
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
                    /** @description Text. */
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
            /** @description An array of `MessageView` objects */
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
            /** @description An object with `token`, `url`, `id`, `application_id`, `name`, `avatar`, `user`, `created_at` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description ID of the application. */
                        application_id: string | null;
                        /** @description Avatar: a hash in responses, a data URL or Base64 in requests. Null: none. */
                        avatar: string | null;
                        /** @description Time of creation. */
                        created_at: string;
                        /** @description ID, as a decimal string of a 64-bit number. */
                        id: string;
                        /** @description Name. */
                        name: string;
                        /** @description Token. It is shown only once. */
                        token: string;
                        /** @description URL. */
                        url: string;
                        /** @description The user. */
                        user: components["schemas"]["PartialUserView"];
                    };
                };
            };
        };
    };
}
