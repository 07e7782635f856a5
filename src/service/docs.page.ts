/** The page with Swagger UI, followed by the gateway messages. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API description</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<p>As files: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1), <a href="/asyncapi.json">asyncapi.json</a>
(AsyncAPI 3, the gateway)</p>
<div id="description"></div>
<h2>The gateway</h2>
<div id="gateway"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
