// What to do where the browser hides WebGPU, because the page came over plain http from another machine. Pure.
const over_https = 'Over https it shows WebGPU: on the machine of the service run hone tls init, then hone up --host 0.0.0.0, and open what hone enroll prints here';

// user_agent: navigator.userAgent. url: of the page.
export function insecurePageAdvice(user_agent: string, url: URL): string {
  return `${ways(user_agent, url)} For WebAssembly on one thread instead, open this URL with target=wasm behind its #.`;
}

function ways(user_agent: string, { port }: URL): string {
  if (/Android/.test(user_agent)) {
    return `By USB: on the machine of the service run adb reverse tcp:${port || '80'} tcp:${port || '80'} and hone enroll, and open its link here with http://localhost:${port || '80'} for its address. ${over_https}, after Settings, Security, Install a certificate, CA certificate.`;
  }
  if (/iPhone|iPad|iPod/.test(user_agent)) {
    return `${over_https}, after its ca.crt was installed and switched on under Settings, General, About, Certificate Trust Settings.`;
  }
  const store = /Firefox\//.test(user_agent) ? 'Firefox trusts ca.crt of hone tls show after Settings, Certificates, Import' : 'The browser trusts ca.crt of hone tls show once the system does';
  return `On the machine of the service itself open http://localhost:${port || '80'}/agent/ with the token of hone up. ${over_https}. ${store}.`;
}
