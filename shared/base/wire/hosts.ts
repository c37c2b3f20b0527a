// Addresses of both hosts in the OpenAPI document of the build. The service writes those of the deployment in their place.

export const DOCUMENT_HOSTS = {
  api: 'https://api.countersign.example',
  app: 'https://app.countersign.example',
}
