SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  tryItOutEnabled: true,
  // Nothing is sent elsewhere, and no key outlives the page.
  validatorUrl: null,
  persistAuthorization: false,
});
