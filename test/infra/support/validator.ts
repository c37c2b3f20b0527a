// CloudFormation's own validator, which ships inside aws-cdk-lib. CDK runs it on the root template only; the checks run
// it on every template.
import { createRequire } from 'node:module'

type Diagnostic = { ruleId: string; severity: 'FATAL' | 'ERROR' | 'WARN' | 'INFO'; message: string }
type Engine = { validateTemplate: (template: object) => { diagnostics: Diagnostic[] }; free: () => void }
type Package = { CompositeEngine: new () => Engine; TemplateContent: new (text: string, name: string) => object }

/** W3005: CDK states dependencies that a reference implies already. W2509: the ARN of a secret is taken for a password. */
const HARMLESS = new Set(['W3005', 'W2509'])

export function openValidator() {
  const fromCdk = createRequire(createRequire(import.meta.url).resolve('aws-cdk-lib'))
  const { CompositeEngine, TemplateContent }: Package = fromCdk('@aws/cloudformation-validate')
  const engine = new CompositeEngine()
  return {
    /** Everything worse than a hint. */
    problems: (text: string, name: string): string[] =>
      engine
        .validateTemplate(new TemplateContent(text, name))
        .diagnostics.filter(({ severity, ruleId }) => severity !== 'INFO' && !HARMLESS.has(ruleId))
        .map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`),
    close: () => engine.free(),
  }
}
