"""A streamed answer through the proxy, with nothing but Python: the retries are not this program's business."""

import json
import os
import urllib.request

base_url = os.environ.get('ANTHROPIC_BASE_URL', 'http://127.0.0.1:8529')
question = {
    'model': 'claude-sonnet-5',
    'max_tokens': 64,
    'stream': True,
    'messages': [{'role': 'user', 'content': 'Say hello.'}],
}
headers = {'x-api-key': 'your-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json'}

request = urllib.request.Request(f'{base_url}/v1/messages', json.dumps(question).encode(), headers)
with urllib.request.urlopen(request) as response:
    for line in response:
        if line.startswith(b'data: '):
            event = json.loads(line.removeprefix(b'data: '))
            print(event.get('delta', {}).get('text', ''), end='', flush=True)
