// The first page of an archive, for the person who opens it.
import { AUDIT, type AuditManifest } from './audit-manifest.ts'

type Facts = Pick<
  AuditManifest,
  'export_id' | 'artifact_id' | 'tenant' | 'mode' | 'framework' | 'window' | 'generated_at' | 'notice' | 'verifier_keys'
>

export const exportInfo = (facts: Facts): string => `${facts.framework.name}: records for an audit
${facts.tenant.name} (${facts.tenant.id}), ${facts.mode} mode
Window ${facts.window.start_at} to ${facts.window.end_at}
Export ${facts.export_id}, made ${facts.generated_at}

Begin with report.html or report.pdf. Everything that they show stands in the other files:

  controls.csv          each control with its status; for the standards of ISO the statement of applicability
  checks/               what the checks found last, on each day of the window, and how long they failed
  evidence/             what people submitted, who decided on it and why, and the files
  populations/          complete lists of the window, compared with the evidence chain (index.csv, differences.csv)
  samples/              samples of these lists, and how anybody draws the same ones (plan.json)
  oscal/                the assessment in OSCAL 1.2.1
  chain/                the evidence chain of the window, with its own README.txt
  catalogue.json        the controls and checks that were assessed
  manifest.json         the SHA-256 of every file

To check the archive you need Node 20 or newer, no network and no account. Unpack it into an empty folder:

  node verify.mjs .
  node verify.mjs .${facts.verifier_keys.map(({ verifier_key }) => ` --vkey '${verifier_key}'`).join('')}
  node verify.mjs chain --strict

Take the key of the second command from a source that you trust, not from this file, and prefer a verifier
that you have kept to the one in the archive. Exit status 0 means that no file was changed, removed or added
since the archive was made, and that the signed log of the service holds its hash. It does not mean that what
the service recorded is true, or that it recorded everything.

Where ${AUDIT.proof} is missing, the log could not be signed when the archive was made, and the
verifier ends with status 2. Fetch the proof later: GET /api/evidence/${facts.artifact_id}/proof.

Limits: ${facts.notice}
Lists hold ids and codes, no names and no payloads. Lists of people and keys show them as they stand now.
What was left out stands in manifest.json under "omissions", with the reason.
`
