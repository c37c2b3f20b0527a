// What the document says of a request is what the service checks: a body that matches its schema is refused only for a rule
// between members, or for a limit that JSON Schema cannot state.
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { routes } from '../../../functions/api.ts'
import { loadOperation, oncePerPath, openapiDocument } from '../../../infra/openapi/document.ts'
import { valuesOf } from '../support/openapi-arbitrary.ts'
import { asObject, asText, type JsonObject } from '../support/resolve.ts'

const ID = 'https://countersign.example/openapi.json'
const RUNS = 60

/** Members that a rule may refuse by their relation to others, or by a limit in a unit that schemas lack. */
const RULES: Record<string, RegExp> = {
  'alerts-create-rule': /^(window|for|resolve_after|repeat_after|ack_timeout|)$/,
  'alerts-update-rule': /^(window|for|resolve_after|repeat_after|ack_timeout|)$/,
  'compliance-export-framework': /^(start_at|end_at)$/,
  'compliance-submit-evidence': /^(file|url|statement|artifact_id|covers\.to|valid_until|source)$/,
  'evidence-create-export': /^(|end_at|to_sequence)$/,
  'integrations-complete-auth': /^$/,
  'metrics-set-targets': /^targets$/,
  'protocol-register-manifest':
    /^manifest\.node\.endpoints\.\d+\.(action_id|undo_action_id|undo.*|target\.(url|headers\..*))$/s,
  'protocol-validate-manifest':
    /^manifest\.node\.endpoints\.\d+\.(action_id|undo_action_id|undo.*|target\.(url|headers\..*))$/s,
  'runbooks-create': /^steps\.\d+\.(kind|node_id|action_id|payload_template)$/,
  'security-save-policy': /^(when|unless)(\..*)?$/s,
  'sso-configure': /^(saml\.idp_entity_id|group_attribute)$/, // trimmed, because copying adds spaces
  'slos-create': /^(sli\.(name|filter|threshold_ms)|spec\.indicator\.spec\.ratioMetric\.total|)$/,
  'slos-update': /^sli\.(name|filter|threshold_ms)$/,
  'tenants-update': /^settings\.governance\.domains\.\d+$/,
  'webhooks-create': /^(secret|headers\..*)$/s,
  'webhooks-rotate-secret': /^secret$/,
  'webhooks-update': /^headers\..*$/s,
}

/** Which characters can be seen, and which hosts DNS can know, is no pattern that every dialect of regular expressions reads. */
const UNSEEN = /^(must hold a visible character|is too long, or has a host that no mail)/

const document = JSON.parse(JSON.stringify(await openapiDocument())) as JsonObject
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: ID, ...document })
const at = (path: string) =>
  path
    .split('/')
    .slice(1)
    .reduce((node, name) => asObject(node[name]), document)

const withBody = oncePerPath(routes).filter(({ path, method }) => {
  const operation = asObject(asObject(asObject(document.paths)[path])[method.toLowerCase()])
  return Object.hasOwn(operation, 'requestBody')
})

test.each(withBody.map((route) => [route.id, route] as const))('%s takes what its schema allows', async (id, route) => {
  const { requestBody } = asObject(asObject(asObject(document.paths)[route.path])[route.method.toLowerCase()])
  const [content] = Object.values(asObject(asObject(requestBody).content))
  const { $ref } = asObject(asObject(content).schema)
  const { shapes } = await loadOperation(route)
  if ($ref === undefined || !shapes.body) return // a body that goes on as it is
  const matches = ajv.compile({ $ref: `${ID}${asText($ref)}` })

  const bodies = fc
    .sample(valuesOf({ $ref }, at), { numRuns: RUNS, seed: 1 })
    .map((body) => JSON.parse(JSON.stringify(body)))
  const refusals = bodies
    .filter((body) => matches(body))
    .flatMap((body) => shapes.body?.safeParse(body).error?.issues ?? [])

  const unsaid = refusals.filter(({ path, message }) => !RULES[id]?.test(path.join('.')) && !UNSEEN.test(message))
  expect(unsaid.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([])
})
