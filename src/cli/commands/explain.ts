/** pugmark explain */
import { Command, InvalidArgumentError } from 'commander'
import { createDetector } from '../../detection/create-detector.ts'
import { type CliContext, configOf, print, type SharedOptions, shared } from '../cli-context.ts'

interface ExplainOptions extends SharedOptions {
  readonly userAgent: string
  readonly referrer: string
  readonly url: string
  readonly method: string
  readonly status?: number
  readonly domain: string
}

export function explainCommand(context: CliContext): Command {
  return shared(
    new Command('explain'),
    'pugmark explain --user-agent "GPTBot/1.4" --url "https://example.com/pricing"\npugmark explain --user-agent "Mozilla/5.0 … Chrome/140.0" --referrer "https://chatgpt.com/" --url "/"',
  )
    .description('Explain how a request is classified, and by which rule of the catalogue.')
    .option('--user-agent <text>', 'the User-Agent header', '')
    .option('--referrer <url>', 'the Referer header', '')
    .option('--url <url>', 'the requested URL', '/')
    .option('--method <method>', 'the HTTP method', 'GET')
    .option('--status <number>', 'the HTTP status of the response', readStatus)
    .option('--domain <domain>', 'the domain of the site that was visited', 'example.com')
    .action((options: ExplainOptions) => {
      const config = configOf(context, options)
      const explanation = createDetector({ excludedBots: new Set(config.excludedBots) }).explain({
        method: options.method,
        url: options.url,
        status: options.status ?? null,
        userAgent: options.userAgent,
        referrer: options.referrer,
        siteDomain: options.domain,
      })
      const { verdict, catalogueVersion, steps } = explanation
      const result =
        verdict.kind === 'bot'
          ? `bot: ${verdict.name} of ${verdict.company}`
          : verdict.kind === 'referral'
            ? `referral: from ${verdict.source}`
            : `ignored: ${verdict.reason}`
      const lines = [
        result,
        `rule: ${verdict.rule ?? 'none'} (catalogue ${catalogueVersion})`,
        ...steps.map(step => `- ${step}`),
      ]
      print(context, options, explanation, lines.join('\n'))
    })
}

function readStatus(text: string): number {
  if (!/^[1-9]\d\d$/.test(text)) throw new InvalidArgumentError('It must be a number from 100 to 999.')
  return Number(text)
}
