/** The API reference: Swagger UI, followed by the gateway messages. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference</title>
<link rel="stylesheet" href="/docs/tokens.css">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<p>Download: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1, the HTTP API),
<a href="/asyncapi.json">asyncapi.json</a> (AsyncAPI 3, the gateway). See also the <a href="/guides/">guides</a>.</p>
<div id="description"></div>
<h2>The real-time gateway</h2>
<div id="gateway"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
