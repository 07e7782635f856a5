/** The page around Swagger UI. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API description</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<p>The gateway is described in <a href="/asyncapi.json">asyncapi.json</a> (AsyncAPI 3).</p>
<div id="description"></div>
<noscript><p>The description as a file: <a href="/openapi.json">openapi.json</a></p></noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

export const DOCS_SCRIPT = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#description', deepLinking: true });
`;
