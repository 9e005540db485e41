/**
 * Microsoft IIS, W3C extended format: UTC, separated by spaces, `+` for a space inside a field.
 * https://learn.microsoft.com/en-us/windows/win32/http/w3c-logging
 */
import { readMilliseconds } from '../../request-record.ts'
import { w3cFormat } from './w3c.ts'

export const iis = w3cFormat({
  name: 'iis',
  sample: [
    '#Software: Microsoft Internet Information Services 10.0',
    '#Version: 1.0',
    '#Date: 2026-10-10 13:55:36',
    '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken',
    '2026-10-10 13:55:36 198.51.100.1 GET /start.html page=2 443 - 192.0.2.7 Mozilla/5.0+(compatible;+GPTBot/1.3;++https://openai.com/gptbot) - 200 0 0 15',
  ].join('\n'),
  separator: ' ',
  // IIS leaves a real plus as it is, so that ` +https://…` becomes two of them.
  decodeText: field => field.replaceAll('++', ' +').replace(/(?<! )\+/g, ' '),
  decodePath: path => path,
  readDuration: readMilliseconds,
})
