/**
 * Lists the crawlers of classic search engines by the product tokens that their operators document. They are not AI bots. The list
 * separates their share of a site's load from that of other robots. Applebot and PetalBot are also in ai-bots.json, which is checked
 * first. They are listed here for instances whose settings exclude them there.
 */
export const searchBots: readonly { readonly token: string; readonly company: string }[] = [
  // Also Googlebot-Image, Googlebot-News and Googlebot-Video.
  { token: 'Googlebot', company: 'Google' },
  { token: 'Storebot-Google', company: 'Google' },
  { token: 'Google-InspectionTool', company: 'Google' },
  { token: 'bingbot', company: 'Microsoft' },
  { token: 'msnbot', company: 'Microsoft' },
  { token: 'BingPreview', company: 'Microsoft' },
  { token: 'YandexBot', company: 'Yandex' },
  { token: 'YandexMobileBot', company: 'Yandex' },
  { token: 'YandexImages', company: 'Yandex' },
  { token: 'YandexVideo', company: 'Yandex' },
  { token: 'YandexRenderResourcesBot', company: 'Yandex' },
  { token: 'Baiduspider', company: 'Baidu' },
  { token: 'DuckDuckBot', company: 'DuckDuckGo' },
  { token: 'Applebot', company: 'Apple' },
  { token: 'PetalBot', company: 'Huawei' },
  { token: 'Slurp', company: 'Yahoo' },
  { token: 'Yeti', company: 'Naver' },
  { token: 'Daum', company: 'Kakao' },
  { token: 'SeznamBot', company: 'Seznam' },
  { token: 'Sogou web spider', company: 'Sogou' },
  { token: 'Qwantbot', company: 'Qwant' },
  { token: 'coccocbot-web', company: 'Coc Coc' },
  { token: 'MojeekBot', company: 'Mojeek' },
]
