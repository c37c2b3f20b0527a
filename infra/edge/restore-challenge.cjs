// Runs at CloudFront (Lambda@Edge, origin response): gives `WWW-Authenticate` the name back that API Gateway takes from it.
// Lambda@Edge knows no environment and no modules of ours, so the file is deployed as it is.
const RENAMED = 'x-amzn-remapped-www-authenticate'

exports.handler = async ({ Records: [{ cf }] }) => {
  const { headers } = cf.response
  const { [RENAMED]: challenges, ...others } = headers
  if (challenges === undefined) return cf.response
  const restored = challenges.map(({ value }) => ({ key: 'WWW-Authenticate', value }))
  return { ...cf.response, headers: { ...others, 'www-authenticate': restored } }
}
