// Runs at CloudFront (CloudFront Functions, viewer request): tells the firewall who calls. Whatever the caller says is overwritten.
// oxlint-disable-next-line no-unused-vars -- CloudFront calls it by this name
function handler(event) {
  const { request, viewer } = event
  request.headers['x-viewer-address'] = { value: viewer.ip }
  return request
}
