// The schema beside this file is that of NIST, of OSCAL 1.2.1, as it was published; it is in the public domain.
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { oscalResults, oscalUuid } from '../../../../shared/assure/audit-pack/oscal.ts'
import { catalogueHash } from '../../../../shared/assure/catalogue/catalogue.ts'
import { controlsOf } from '../../../../shared/assure/catalogue/controls.ts'
import { FRAMEWORK_IDS, type FrameworkId } from '../../../../shared/assure/catalogue/framework-ids.ts'
import { CONTROL_STATUSES, type ControlView, NOTICE } from '../../../../shared/assure/frameworks/control-view.ts'
import { allResults, AT, controlOf, WINDOW } from './make.ts'

const SCHEMA = readFileSync(new URL('oscal-assessment-results-1.2.1.schema.json', import.meta.url), 'utf8')

function validator() {
  const ajv = new Ajv({ strict: false, unicodeRegExp: true })
  formats.default(ajv)
  return ajv.compile(JSON.parse(SCHEMA))
}
const validate = validator()

const problemsOf = (document: object) =>
  validate(document) ? [] : (validate.errors ?? []).map(({ instancePath }) => instancePath)

const documentOf = (framework: FrameworkId, controls: ControlView[], results = allResults(framework)) =>
  JSON.stringify(
    oscalResults({
      export_id: 'exp_01JD3Q8Z5N8M0P2R4T6V8Y0A2C',
      tenant: { id: 'ten_01', name: 'Ελλάς 中文 Ёж' },
      framework: { id: framework, name: 'A framework', version: '2022' },
      window: WINDOW,
      as_of: AT,
      notice: NOTICE,
      catalogue_hash: catalogueHash(),
      controls,
      results,
    }),
  )

/** Statuses in turn, so that each occurs. */
const everyControl = (framework: FrameworkId) =>
  controlsOf(framework).map(({ id }, index) => {
    const status = CONTROL_STATUSES[index % CONTROL_STATUSES.length] ?? 'met'
    const applicable = status !== 'not_applicable'
    return controlOf(framework, id, {
      status,
      applicability: { ...controlOf(framework, id).applicability, applicable },
    })
  })

describe('the OSCAL document', () => {
  test.each(FRAMEWORK_IDS)('of %s is valid', (framework) => {
    expect(problemsOf(JSON.parse(documentOf(framework, everyControl(framework))))).toEqual([])
  })

  test('without a result, and without a control in scope, is valid', () => {
    const none = controlsOf('soc2').map(({ id }) => controlOf('soc2', id, { in_scope: false, status: 'not_assessed' }))
    expect(problemsOf(JSON.parse(documentOf('soc2', none, [])))).toEqual([])
  })

  test.each([
    ['a state that OSCAL does not know', '"state":"satisfied"', '"state":"partially_met"'],
    [
      'the id of a control that is no token',
      '"target-id":"hipaa-164.308-a-1-ii-a"',
      '"target-id":"164.308(a)(1)(ii)(A)"',
    ],
  ])('is refused with %s', (_, good, bad) => {
    const text = documentOf('hipaa', [controlOf('hipaa', '164.308(a)(1)(ii)(A)')])

    expect(text).toContain(good)
    expect(problemsOf(JSON.parse(text.replace(good, bad)))).not.toEqual([])
  })

  test('has a finding for each control with a verdict, and names the others', () => {
    const controls = everyControl('soc2')
    const [{ findings, remarks, observations }] = JSON.parse(documentOf('soc2', controls))['assessment-results'].results
    const judged = controls.filter(({ status }) => status !== 'not_assessed' && status !== 'not_applicable')

    expect(findings).toHaveLength(judged.length)
    expect(observations).toHaveLength(48)
    for (const { id, status } of controls) {
      const isNamed = remarks.split(/[\s.,:]+(?=[A-Z]|$)/).includes(id)
      expect([id, isNamed]).toEqual([id, status === 'not_assessed' || status === 'not_applicable'])
    }
  })

  test('ties findings to the observations of their checks', () => {
    const [{ findings, observations }] = JSON.parse(documentOf('soc2', [controlOf('soc2', 'CC6.1')]))[
      'assessment-results'
    ].results
    const known = observations.map(({ uuid }: { uuid: string }) => uuid)

    expect(findings[0]['related-observations'].length).toBeGreaterThan(0)
    for (const { 'observation-uuid': uuid } of findings[0]['related-observations']) expect(known).toContain(uuid)
  })
})

test('the ids of a document follow from the export and the control', () => {
  expect(oscalUuid('finding', 'exp_01JD3Q8Z5N8M0P2R4T6V8Y0A2C', 'soc2-cc6.1')).toBe(
    'f5da843e-02b5-511b-8177-60f7f57ab47d',
  )
})
