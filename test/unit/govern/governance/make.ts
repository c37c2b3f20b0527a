// Builders of the engine's inputs, with nothing in them that decides anything.
import { type Classification, classify } from '../../../../shared/govern/governance/words/classify.ts'
import { compileSet } from '../../../../shared/govern/governance/conditions/compile.ts'
import { type Decision, evaluate, type Question } from '../../../../shared/govern/governance/decide/evaluate.ts'
import { type Circumstances, factsOf } from '../../../../shared/govern/governance/decide/policy-facts.ts'
import { Policy, type PolicyBody } from '../../../../shared/govern/governance/policy.ts'
import type * as z from 'zod'
import { DEFAULT_SETTINGS, type GovernanceSettings } from '../../../../shared/govern/governance/settings.ts'
import type { Json } from '../../../../shared/base/lib/json.ts'
import type { Endpoint, Node } from '../../../../shared/govern/manifests/manifest.ts'

export const NODE = { id: 'acme.tools.server', name: 'Tools', version: '1.0.0', endpoints: [] } satisfies Node

export const settingsOf = (changes: Partial<GovernanceSettings> = {}): GovernanceSettings => ({
  ...DEFAULT_SETTINGS,
  ...changes,
})

export type Action = Partial<Endpoint> & {
  node?: Partial<Node>
  payload?: Json
  kindIsVouched?: boolean
  trust?: number
}

/** Classifies an action by name. */
export function classified(action_id: string, action: Action = {}, settings: Partial<GovernanceSettings> = {}) {
  const { node, payload, kindIsVouched, trust, ...endpoint } = action
  return classify({
    node: { ...NODE, ...node },
    endpoint: { action_id, ...endpoint },
    payload,
    kindIsVouched,
    trust,
    settings: settingsOf(settings),
  })
}

let made = 0

/** A policy with an id of its own; what is not given is the default. */
export function policyOf(policy: Omit<z.input<typeof PolicyBody>, 'name' | 'version'> & { name?: string }): Policy {
  made += 1
  const policy_id = `pol_${String(made).padStart(26, '0')}`
  return Policy.parse({ policy_id, name: `policy ${made}`, version: 1, ...policy })
}

export type Scene = Omit<Partial<Question>, 'set' | 'settings' | 'facts' | 'endpoint'> & {
  action_id?: string
  endpoint?: Partial<Endpoint>
  policies?: readonly Policy[]
  settings?: Partial<GovernanceSettings>
  payload?: Json
  context?: Circumstances['context']
  agent?: Circumstances['agent']
  standing?: Circumstances['standing']
  /** Default: a key. */
  principal?: Circumstances['principal']
  node?: Partial<Node>
  /** Time of the request (ms). */
  at?: number
}

/** A request of a key about one action, ready to be decided. */
export function questionOf(scene: Scene = {}): Question {
  const {
    action_id = 'update_contact',
    policies = [],
    payload = {},
    context,
    agent,
    standing,
    request = {},
    at = 0,
  } = scene
  const { principal = { type: 'api_key', id: 'key_1', roles: ['developer'] } } = scene
  const settings = settingsOf(scene.settings)
  const endpoint: Endpoint = { action_id, ...scene.endpoint }
  const node = { ...NODE, ...scene.node }
  const classification: Classification =
    scene.classification ?? classify({ node, endpoint, payload, settings, trust: scene.trust })
  const facts = factsOf({
    node,
    endpoint,
    listing_tier: 'development',
    classification,
    principal,
    agent,
    standing,
    request: { at, ip: '192.0.2.7', ...request },
    plan: 'team',
    context,
    payload,
  })
  return { ...scene, classification, endpoint, facts, set: compileSet(policies), settings, request }
}

export const decided = (scene: Scene = {}): Decision => evaluate(questionOf(scene))

/** The result of one entry of the explanation. */
export const resultOf = ({ policy_evaluations }: Decision, policy_id: string): string | undefined =>
  policy_evaluations.find((entry) => entry.policy_id === policy_id)?.result
