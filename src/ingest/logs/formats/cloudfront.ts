/**
 * Amazon CloudFront standard logs: W3C extended format in UTC, separated by tabs, with user agent, referrer and URL
 * percent-encoded on top of whatever encoding they came with.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html
 */
import { readSeconds } from '../../request-record.ts'
import { decodePercent } from '../escapes.ts'
import { w3cFormat } from './w3c.ts'

/** Older logs encode twice: `Mozilla/5.0%2520(…`. */
export function decodeText(field: string): string {
  return decodePercent(/%25[0-9a-f]{2}/i.test(field) ? decodePercent(field) : field)
}

export function decodePath(url: string): string {
  return url.replace(/%25([0-9a-f]{2})/gi, '%$1')
}

export const cloudfront = w3cFormat({
  name: 'cloudfront',
  sample: [
    '#Version: 1.0',
    '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version fle-status fle-encrypted-fields c-port time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end',
    '2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.24\tGET\td111111abcdef8.cloudfront.net\t/index.html\t200\t-\tMozilla/5.0%20(Windows%20NT%2010.0;%20Win64;%20x64)%20AppleWebKit/537.36%20(KHTML,%20like%20Gecko)%20Chrome/78.0.3904.108%20Safari/537.36\t-\t-\tHit\tSOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ==\td111111abcdef8.cloudfront.net\thttps\t23\t0.001\t-\tTLSv1.2\tECDHE-RSA-AES128-GCM-SHA256\tHit\tHTTP/2.0\t-\t-\t11040\t0.001\tHit\ttext/html\t78\t-\t-',
  ].join('\n'),
  separator: '\t',
  decodeText,
  decodePath,
  readDuration: readSeconds,
})
