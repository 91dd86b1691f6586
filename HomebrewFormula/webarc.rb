# SPDX-License-Identifier: Apache-2.0
# Builds webarc, webarc-server and webarc-net from source. This repository is a tap, whose clone is built:
#
#   brew tap webarc/webarc ADDRESS-OF-THIS-REPOSITORY
#   brew install --HEAD webarc/webarc/webarc
#
# Not yet run: neither macOS nor Homebrew was at hand.
class Webarc < Formula
  desc "Pack websites into single files, and read, verify and serve these files"
  homepage "file://#{Pathname(__dir__).parent}/README.md"
  license "Apache-2.0"
  head "file://#{Pathname(__dir__).parent}", using: :git, branch: "main"

  depends_on xcode: ["26.0", :build] # Swift 6.2
  depends_on "pkgconf" => :build
  depends_on "brotli"
  depends_on "libdeflate"
  depends_on "lz4"
  depends_on macos: :sequoia
  depends_on "xz"
  depends_on "zstd"
  uses_from_macos "swift" => :build
  uses_from_macos "curl"

  def install
    programs = %w[webarc webarc-server webarc-net]
    args = ["--disable-sandbox", "-c", "release"]
    args << "--static-swift-stdlib" if OS.linux?
    programs.each do |program|
      system "swift", "build", *args, "--product", program
      bin.install ".build/release/#{program}"
    end
    generate_completions_from_executable(bin/"webarc", "--generate-completion-script")

    system "swift", "build", "--disable-sandbox", "--package-path", ".build/checkouts/swift-argument-parser",
           "--scratch-path", ".build/manual", "--product", "generate-manual"
    mkdir "manual"
    programs.each do |program|
      system ".build/manual/debug/generate-manual", bin/program, "--multi-page", "--output-directory", "manual"
    end
    man1.install Dir["manual/*.1"]
    doc.install "Documentation/serving.md", "Documentation/kiosk.md"
  end

  test do
    (testpath/"site/index.html").write "<!doctype html><title>Test</title>"
    system bin/"webarc", "pack", "site", "-o", "site.webarc", "--base-url", "https://site.example/"
    system bin/"webarc", "verify", "site.webarc"
    assert_equal (testpath/"site/index.html").read, shell_output("#{bin}/webarc cat site.webarc https://site.example/index.html")
  end
end
