// The result of an assessment in OSCAL 1.2.1, the format of NIST for programs that work with audits. It holds what the report
// holds, so that neither can say more than the other.
import { iso } from '../../base/lib/clock.ts'
import { catalogueHash, checksOf } from '../catalogue/catalogue.ts'
import { controlKey, type FrameworkId } from '../catalogue/framework-ids.ts'
import type { CheckResult } from '../checks/check-result.ts'
import { type ControlStatus, type ControlView, NOTICE } from '../frameworks/control-view.ts'
import type { ReportInput } from '../report/report-input.ts'
import type { Window } from '../exports/window.ts'
import type { FrameworkStatus } from './control-rows.ts'
import { hash } from 'node:crypto'

type Facts = { window: Window; as_of: string | null; generated_at: string }

/** The OSCAL document of a framework's present status. Without a run, its time is now. */
export const oscalOf = (
  export_id: string,
  { tenant, framework, controls, lines }: FrameworkStatus,
  { window, as_of, generated_at }: Facts,
): object =>
  oscalResults({
    export_id,
    tenant,
    framework,
    controls,
    window,
    as_of: as_of ?? generated_at,
    notice: NOTICE,
    catalogue_hash: catalogueHash(),
    results: lines.flatMap(({ result }) => result ?? []),
  })

const VERSION = '1.2.1'
const NAMESPACE = '6f0d3a52-b1c8-4f0e-9d2f-4c0b7a5e1d38'
const OWN = 'urn:countersign:oscal'
/** How long a result counts as present: a day, and the time that a run may be late. */
const HOLDS_MS = 26 * 3_600_000

type Result = Pick<
  CheckResult,
  'check_id' | 'version' | 'status' | 'detail' | 'numerator' | 'denominator' | 'evaluated_at'
>

type OscalInput = Pick<ReportInput, 'export_id' | 'tenant' | 'window' | 'as_of' | 'notice' | 'controls'> & {
  framework: { id: FrameworkId; name: string; version: string }
  catalogue_hash: string
  /** Of the checks that speak for the framework. */
  results: readonly Result[]
}

/** The id of a control as a token: unique over all frameworks. */
const tokenOf = (framework: FrameworkId, control: string): string =>
  `${framework.replaceAll('_', '-')}-${controlKey(control)}`

export const oscalUuid = (kind: string, exportId: string, name: string): string =>
  uuidOf(NAMESPACE, `${kind}\n${exportId}\n${name}`)

const prop = (name: string, value: string | number) => ({ name, ns: OWN, value: String(value) })

/** Lists of OSCAL are never empty. */
const some = (name: string, list: readonly unknown[]) => (list.length > 0 ? { [name]: list } : {})

export function oscalResults(input: OscalInput): object {
  const { export_id, framework, as_of, catalogue_hash } = input
  const id = (kind: string, name = '') => oscalUuid(kind, export_id, name)
  const plan = id('catalogue')
  const hashes = [{ algorithm: 'SHA-256', value: catalogue_hash }]
  return {
    'assessment-results': {
      uuid: id('assessment-results'),
      metadata: metadata(input, id('party')),
      'import-ap': { href: `#${plan}` },
      results: [resultOf(input)],
      'back-matter': {
        resources: [
          {
            uuid: plan,
            title: `Controls and checks of ${framework.name}`,
            description: `The catalogue that was assessed, as of ${as_of}.`,
            rlinks: [{ href: '../catalogue.json', 'media-type': 'application/json', hashes }],
          },
        ],
      },
    },
  }
}

const metadata = ({ framework, tenant, as_of }: OscalInput, party: string) => ({
  title: `${framework.name} (${framework.version}): ${tenant.name || tenant.id}`,
  'last-modified': as_of,
  version: framework.version,
  'oscal-version': VERSION,
  roles: [{ id: 'assessor', title: 'Assessor' }],
  parties: [{ uuid: party, type: 'organization', name: 'Countersign' }],
  'responsible-parties': [{ 'role-id': 'assessor', 'party-uuids': [party] }],
})

function resultOf(input: OscalInput) {
  const { export_id, framework, window, controls, notice, results } = input
  return {
    uuid: oscalUuid('result', export_id, framework.id),
    title: `${framework.name} from ${window.start_at} to ${window.end_at}`,
    description: notice,
    start: window.start_at,
    end: window.end_at,
    props: [prop('framework-id', framework.id), prop('catalogue-sha256', input.catalogue_hash)],
    'reviewed-controls': { 'control-selections': [selectionOf(input)] },
    ...some(
      'observations',
      results.map((result) => observationOf(result, export_id)),
    ),
    ...some(
      'findings',
      controls.flatMap((control) => findingOf(control, input)),
    ),
    remarks: unreviewed(controls),
  }
}

/** A selection names at least one control; where none was reviewed, it is all without each. */
function selectionOf({ framework, controls }: OscalInput) {
  const reviewed = controls.filter(({ in_scope, applicability }) => in_scope && applicability.applicable)
  const named = (list: readonly ControlView[]) => list.map(({ id }) => ({ 'control-id': tokenOf(framework.id, id) }))
  if (reviewed.length > 0) return { 'include-controls': named(reviewed) }
  return { 'include-all': {}, ...some('exclude-controls', named(controls)) }
}

const observationOf = ({ check_id, version, status, detail, ...rest }: Result, exportId: string) => ({
  uuid: oscalUuid('observation', exportId, check_id),
  description: detail,
  props: [
    prop('check-id', check_id),
    prop('check-version', version),
    prop('check-status', status),
    prop('numerator', rest.numerator),
    prop('denominator', rest.denominator),
  ],
  methods: ['TEST'],
  types: ['control-objective'],
  'relevant-evidence': [{ href: '../checks/results.csv', description: `The row of ${check_id}.` }],
  collected: rest.evaluated_at,
  expires: iso(Date.parse(rest.evaluated_at) + HOLDS_MS),
})

/** OSCAL knows two states. The remarks name ours. */
const STATES: Partial<Record<ControlStatus, { state: string; reason: string }>> = {
  met: { state: 'satisfied', reason: 'pass' },
  partially_met: { state: 'not-satisfied', reason: 'other' },
  not_met: { state: 'not-satisfied', reason: 'fail' },
}

function findingOf({ id, title, status, status_reason }: ControlView, { export_id, framework, results }: OscalInput) {
  const state = STATES[status]
  if (!state) return []
  const token = tokenOf(framework.id, id)
  const checks = checksOf(framework.id, id).filter((check) => results.some(({ check_id }) => check_id === check.id))
  return {
    uuid: oscalUuid('finding', export_id, token),
    title,
    description: status_reason,
    props: [prop('control-id', id)],
    target: { type: 'objective-id', 'target-id': token, status: { ...state, remarks: status } },
    ...some(
      'related-observations',
      checks.map((check) => ({ 'observation-uuid': oscalUuid('observation', export_id, check.id) })),
    ),
  }
}

/** The controls that were left out, and why: leaving things out must be visible. */
function unreviewed(controls: readonly ControlView[]): string {
  const named = (title: string, left: readonly ControlView[]) =>
    left.length > 0 ? [`${title}: ${left.map(({ id }) => id).join(', ')}.`] : []
  const within = controls.filter(({ in_scope }) => in_scope)
  const lines = [
    ...named(
      'Not applicable',
      within.filter(({ status }) => status === 'not_applicable'),
    ),
    ...named(
      'Not assessed',
      within.filter(({ status }) => status === 'not_assessed'),
    ),
    ...named(
      'Out of scope',
      controls.filter(({ in_scope }) => !in_scope),
    ),
  ]
  return lines.join('\n') || 'Every control was assessed.'
}

/** A UUID of version 5 (RFC 9562): the same namespace and name give the same id. */
function uuidOf(namespace: string, name: string): string {
  const bytes = hash(
    'sha1',
    Buffer.concat([Buffer.from(namespace.replaceAll('-', ''), 'hex'), Buffer.from(name)]),
    'buffer',
  )
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
