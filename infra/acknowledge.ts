import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/** Accepts findings of cdk-nag on a construct and all below it: rule id → the reason why the finding is right and stays. */
export function acknowledge(construct: IConstruct, reasons: Record<string, string>): void {
  for (const [id, reason] of Object.entries(reasons)) Validations.of(construct).acknowledge({ id, reason })
}

/** The id of the cdk-nag finding about a resource with `*`; the rule spells parameters and references as `<name>`. */
export const wildcard = (resource: string): string =>
  `AwsSolutions-IAM5[Resource::${resource.replaceAll(/\$\{Token\[(AWS\.\w+)\.\d+\]\}/g, (_, name: string) => `<${name.replace('.', '::')}>`)}]`
