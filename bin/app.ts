// The CDK app: builds the service's stack and fails on unacknowledged findings of cdk-nag.
import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { DIST } from '../infra/bundle/bundle.ts'
import { readOptions } from '../infra/options.ts'
import { templateReport } from '../infra/report.ts'
import { ServiceStack } from '../infra/stacks/service.ts'
import { SURFACE } from '../infra/surface.ts'

const app = new App()
const options = readOptions((name) => app.node.tryGetContext(name))
// A function at CloudFront's edge lies in another region, so its stack and this one have to know their own.
const env = { account: process.env.CDK_DEFAULT_ACCOUNT, region: process.env.CDK_DEFAULT_REGION }
new ServiceStack(app, options.prefix, { surface: SURFACE, options, dist: DIST, ...(options.cdn && { env }) })
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
for (const line of templateReport(app.synth().directory, options.prefix)) console.log(line)
