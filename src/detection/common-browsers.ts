/** Recognizes the user agents of common browsers by their whole shape, which saves slower tests. */

const platforms = [
  String.raw`Windows NT \d+\.\d+(?:; Win64; x64|; WOW64)?(?:; rv:[\d.]+)?`,
  String.raw`Macintosh; Intel Mac OS X \d+[._]\d+(?:[._]\d+)?(?:; rv:[\d.]+)?`,
  String.raw`X11; (?:Ubuntu; )?Linux (?:x86_64|i686)(?:; rv:[\d.]+)?`,
  String.raw`(?:iPhone|iPad); (?:U; )?CPU (?:iPhone )?OS \d+_\d+(?:_\d+)? like Mac OS X`,
  // Device names are free text, so only those are accepted that cannot contain the name of a robot.
  String.raw`Linux; Android \d+(?:\.\d+)*; (?:K|SM-[A-Z]\d{3,4}[A-Z]?|Pixel \d+)`,
  String.raw`Android \d+(?:\.\d+)*; Mobile; rv:[\d.]+`,
]

const browsers = [
  String.raw`AppleWebKit/[\d.]+ \(KHTML, like Gecko\) Chrome/[\d.]+ (?:Mobile )?Safari/[\d.]+(?: (?:Edg|EdgA|OPR)/[\d.]+)?`,
  String.raw`AppleWebKit/[\d.]+ \(KHTML, like Gecko\) Version/[\d.]+ (?:Mobile/\d{2}[A-Z]\d{2,5} )?Safari/[\d.]+`,
  String.raw`Gecko/[\d.]+ Firefox/[\d.]+`,
]

/** Exported for tests, which generate texts of this shape. */
export const commonBrowserShape = new RegExp(
  `^Mozilla/5\\.0 \\((?:${platforms.join('|')})\\) (?:${browsers.join('|')})$`,
)

/** True only for texts that no list of robots can match: platforms and names are fixed, and only version numbers and models vary. */
export const isCommonBrowser = (userAgent: string): boolean => commonBrowserShape.test(userAgent)
