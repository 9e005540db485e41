/** Commands to copy that no guide of docs/ holds in this form, with the examples that guides have. */

export const apiTexts = {
  hits: `curl 'https://stats.example.com/api/v1/sites/site_…/hits' \\
  -H 'Authorization: Bearer pug_…' \\
  -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/pricing", "user_agent": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"}'`,
  conversion: `curl 'https://stats.example.com/api/v1/sites/site_…/events' \\
  -H 'Authorization: Bearer pug_…' \\
  -H 'Content-Type: application/json' \\
  -d '{"type": "conversion", "event_name": "purchase", "event_value": 49.9, "page_path": "/thanks", "source": "https://chatgpt.com/", "landing_page": "/pricing"}'`,
  stats: `curl -H 'Authorization: Bearer pug_…' 'https://stats.example.com/api/v1/sites/site_…/stats'`,
}

export const checkText = 'npx pugmark check https://example.com/'
